// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell text
import { describe, expect, test } from "bun:test";
import { analyseCommand } from "../../../src/permissions/shell/analyse-command.ts";
import { HOME, WORKSPACE } from "../../support/judge-line.ts";

const analyse = (text: string) => analyseCommand(text, { cwd: WORKSPACE, home: HOME });
const words = (text: string) => analyse(text).segments.map((segment) => segment.words);
const folders = (text: string) => analyse(text).segments.map((segment) => [segment.words.join(" "), segment.cwds]);
const concerns = (text: string) => {
  const { segments, concerns: whole } = analyse(text);
  return [...new Set([...whole, ...segments.flatMap((segment) => segment.concerns)].map(({ type }) => type))];
};

describe("the analysis of a command", () => {
  test("a segment says everything about one command", () => {
    expect(analyse("cd packages/a && CI=1 timeout 60 git --no-pager log -5 -- src 2>&1 < in.txt")).toEqual({
      text: "cd packages/a && CI=1 timeout 60 git --no-pager log -5 -- src 2>&1 < in.txt",
      concerns: [],
      complete: true,
      segments: [
        {
          words: ["cd", "packages/a"],
          layers: [["cd", "packages/a"]],
          candidates: [],
          text: "cd packages/a",
          assignments: [],
          redirections: [],
          cwds: [WORKSPACE],
          atStart: true,
          paths: [{ kind: "enter", path: `${WORKSPACE}/packages/a`, text: "packages/a" }],
          network: false,
          runsCode: false,
          neutral: true,
          nested: false,
          effect: "read",
          concerns: [],
        },
        {
          words: ["git", "--no-pager", "log", "-5", "--", "src"],
          shorter: ["git", "log", "-5", "--", "src"],
          layers: [
            ["timeout", "60", "git", "--no-pager", "log", "-5", "--", "src"],
            ["git", "--no-pager", "log", "-5", "--", "src"],
          ],
          candidates: [],
          text: "timeout 60 git --no-pager log -5 -- src",
          assignments: [{ name: "CI", value: "1" }],
          redirections: [
            { operator: ">&", target: "1" },
            { operator: "<", target: "in.txt" },
          ],
          cwds: [`${WORKSPACE}/packages/a`],
          atStart: false,
          paths: [
            { kind: "read", path: `${WORKSPACE}/packages/a/src`, text: "src" },
            { kind: "read", path: `${WORKSPACE}/packages/a/in.txt`, text: "in.txt" },
          ],
          network: false,
          runsCode: false,
          neutral: false,
          nested: false,
          effect: "read",
          concerns: [],
        },
      ],
    });
  });

  test("words are decoded as bash decodes them", () => {
    expect(words(`l's' "a b" c\\ d $'t\\tb' "\\$x" '$y' e"f"'g' {a,b}.ts {3..1}`)).toEqual([
      ["ls", "a b", "c d", "t\tb", "$x", "$y", "efg", "a.ts", "b.ts", "3", "2", "1"],
    ]);
  });

  test("every command of a line is a segment, wherever it stands", () => {
    expect(
      words(
        "a; b && c || d | e & (f); { g; }\nif h; then i; elif j; then k; else l; fi; while m; do n; done; ! o; time p",
      ),
    ).toEqual([..."abcdefghijklmnop"].map((name) => [name]));
    expect(
      words("a $(b `c`) <(d) ${x:-$(e)} > >(f)")
        .map(([name]) => name)
        .sort(),
    ).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(words("find . -exec a {} \\; | xargs -n1 b").map(([name]) => name)).toEqual(["find", "a", "b"]);
    expect(words("bash -c 'a; b'").map(([name]) => name)).toEqual(["bash", "a", "b"]);
  });

  test("a loop over written-out values is unrolled", () => {
    expect(words("for f in a 'b c'; do wc -l \"$f\" $f.x; done")).toEqual([
      ["wc", "-l", "a", "a.x"],
      ["wc", "-l", "b c", ".x"],
    ]);
    expect(concerns("for f in a 'b c'; do wc -l $f; done")).toEqual(["expansion"]);
  });

  test("the working folder is followed through success and failure", () => {
    const at = (folder: string) => (folder === "" ? WORKSPACE : `${WORKSPACE}/${folder}`);
    expect(folders("cd a && ls")).toEqual([
      ["cd a", [at("")]],
      ["ls", [at("a")]],
    ]);
    expect(folders("cd a; ls")).toEqual([
      ["cd a", [at("")]],
      ["ls", [at("a"), at("")]],
    ]);
    expect(folders("cd a || exit 1; ls")).toEqual([
      ["cd a", [at("")]],
      ["exit 1", [at("")]],
      ["ls", [at("a")]],
    ]);
    expect(folders("(cd a); ls")).toEqual([
      ["cd a", [at("")]],
      ["ls", [at("")]],
    ]);
    expect(folders("cd a | ls")).toEqual([
      ["cd a", [at("")]],
      ["ls", [at("")]],
    ]);
    expect(folders("if cd a; then ls; else pwd; fi")).toEqual([
      ["cd a", [at("")]],
      ["ls", [at("a")]],
      ["pwd", [at("")]],
    ]);
    expect(folders("cd a && cd .. && ls")).toEqual([
      ["cd a", [at("")]],
      ["cd ..", [at("a")]],
      ["ls", [at("")]],
    ]);
    expect(folders('cd "$X" && ls').at(-1)).toEqual(["ls", undefined]);
    expect(folders("cd - && ls").at(-1)).toEqual(["ls", undefined]);
    expect(concerns("while true; do cd a; done")).toEqual(["working-directory"]);
  });

  test("what cannot be known is a typed concern", () => {
    const samples: Record<string, string> = {
      "parse-error": "ls 'x",
      "unsupported-syntax": "case a in a) ls;; esac",
      substitution: "ls $(id)",
      "process-substitution": "ls <(id)",
      expansion: "ls ${x:-1}",
      glob: "ls .e*",
      "brace-expansion": "ls {a,{b,c}}",
      tilde: "ls ~root",
      "here-document": "cat <<'E'\nx\nE",
      redirect: "ls > f",
      environment: "PATH=. ls",
      definition: "f() { ls; }",
      "shell-state": "shopt -s x",
      "parent-path": "cat a/../b",
      "control-character": "ls \u0007",
      "invisible-character": "ls a\u200bb",
      "look-alike": "lѕ",
      "line-continuation": "l\\\ns",
      "dynamic-command": "$SHELL x",
      "unknown-option": "sort --outp=f",
      "dangerous-option": "find . -delete",
      "runs-code": "node -e x",
      "runs-program": "watch ls",
      "fork-bomb": ":(){ :|:& };:",
      "too-long": `echo ${"a".repeat(20_000)}`,
      "too-many-segments": "true;".repeat(300),
      "too-deep": `echo ${"$(echo ".repeat(20)}${")".repeat(20)}`,
    };
    const missing = Object.entries(samples).filter(
      ([type, text]) => !concerns(text).some((concern) => concern === type),
    );
    expect(missing).toEqual([]);
  });

  test("single quotes, literal arithmetic and comments are no concern", () => {
    expect(concerns("echo '$(id) `id` ${x}' $((1 + 2 * 3)) # $(id)")).toEqual([]);
  });

  test("programs that can reach the network or run code say so", () => {
    const flags = (text: string) =>
      analyse(text).segments.map(({ network, runsCode, effect }) => ({ network, runsCode, effect }))[0];
    expect(flags("curl https://example.com")).toEqual({ network: true, runsCode: false, effect: "network" });
    expect(flags("npm test")).toEqual({ network: false, runsCode: true, effect: "build" });
    expect(flags("python3 a.py")).toEqual({ network: false, runsCode: true, effect: "code" });
    expect(flags("cat < /dev/tcp/a/1")).toEqual({ network: true, runsCode: false, effect: "read" });
    expect(flags("git stash list")).toEqual({ network: false, runsCode: false, effect: "read" });
    expect(flags("git stash")).toEqual({ network: false, runsCode: false, effect: "write" });
  });
});
