import { describe, expect, test } from "bun:test";
import { windowsWords } from "../../../src/permissions/shell/windows-words.ts";

describe("words of the Windows shells", () => {
  test("a plain line of cmd.exe is cut into words", () => {
    expect(windowsWords('git  status "my folder\\a.txt" --name=x', "cmd")).toEqual([
      "git",
      "status",
      "my folder\\a.txt",
      "--name=x",
    ]);
    expect(windowsWords("dir /b C:\\work", "cmd")).toEqual(["dir", "/b", "C:\\work"]);
  });

  test("a plain line of PowerShell is cut into words", () => {
    expect(windowsWords("Get-ChildItem -Path 'my $folder' \"a b\"", "powershell")).toEqual([
      "Get-ChildItem",
      "-Path",
      "my $folder",
      "a b",
    ]);
    expect(windowsWords("git status -s", "powershell")).toEqual(["git", "status", "-s"]);
  });

  test("anything a shell would look at makes the line not plain", () => {
    const cmd = [
      "",
      "a & b",
      "a | b",
      "a && b",
      "a > f",
      "a < f",
      "a %PATH%",
      "a !X!",
      "a ^& b",
      "a\nb",
      "(a)",
      "@a",
      "a ; b\u0000",
      'a "%X%"',
      'a "b',
      "cmd /c a",
      "call a",
      "start a",
      "for %i in (x) do a",
      "if 1==1 a",
      "..\\a",
      "CMD.EXE /c a",
    ];
    expect(cmd.filter((text) => windowsWords(text, "cmd") !== undefined)).toEqual([]);
    const powershell = [
      "",
      "a; b",
      "a | b",
      "a & b",
      "a && b",
      "a > f",
      "a $x",
      'a "$x"',
      "a $(b)",
      "a @(b)",
      "a {b}",
      "& a",
      ". a",
      "a `b",
      "a\nb",
      "iex a",
      "Invoke-Expression a",
      "a 'b''",
      "[a]::b()",
      "a,b",
      "powershell -c a",
      "a 'b' 'c",
      '"a"b',
      "a @x",
      "a #b",
      "start-process a",
    ];
    expect(powershell.filter((text) => windowsWords(text, "powershell") !== undefined)).toEqual([]);
  });
});
