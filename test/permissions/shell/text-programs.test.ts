import { describe, expect, test } from "bun:test";
import { isPlainSed } from "../../../src/permissions/shell/programs/text-programs.ts";

describe("sed scripts", () => {
  test("print, delete, quit and plain substitutions are plain", () => {
    const plain = [
      "p",
      "1,80p",
      "10,20p",
      "$p",
      "$!d",
      "/^$/d",
      "/a/,/b/p",
      "1~2p",
      "5q",
      "1,10p;20,30p",
      "s/a/b/",
      "s/a/b/g",
      "s|/a|/b|gI",
      "s/a\\/b/c/",
      "/x/s/a/b/2p",
      "s/[0-9;]*m//g",
      "y/abc/xyz/",
      "1d\n2d",
      "$=",
      "",
      "1,+3p",
      "/[a-z]+/p",
      "s/a/b/;s/c/d/;p",
    ];
    expect(plain.filter((script) => !isPlainSed(script))).toEqual([]);
  });

  test("everything that reads, writes or runs is not", () => {
    const others = [
      "w f",
      "1w f",
      "s/a/b/w f",
      "s/a/b/e",
      "s/a/b/gew f",
      "e",
      "e id",
      "1e id",
      "r f",
      "R f",
      "W f",
      "p;w f",
      "p w f",
      "{p}",
      "a\\\nx",
      "i x",
      "c x",
      "b",
      ":a",
      "t",
      "s/a/b",
      "s/[/]/w f/",
      "s/a/b\\",
      "s/a\n/b/",
      "1!e id",
      "/a/Ie id",
      "v",
      "z;e",
      "F",
      "l",
      "#n",
      "s/a/b/ w f",
      "pe id",
      "p}",
      "sxaxbxe",
      "s/a/b/;;e",
      "y/a/b/e id",
      "0,/x/e id",
      "$e id",
      "\\,x,e id",
    ];
    expect(others.filter(isPlainSed)).toEqual([]);
  });
});
