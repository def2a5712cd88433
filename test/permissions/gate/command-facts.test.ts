import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { commandFacts } from "../../../src/permissions/gate/command-facts.ts";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import type { CommandFacts } from "../../../src/protocol/command-facts.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const place = tempWorkspace();
afterAll(() => place.stop());
const home = place.root;
const own = { config: `${place.home}/config`, data: `${place.home}/data` };
const world = { workspace: place.project, home, classify: createPathClassifier({ home, own, now: Date.now }) };

function factsOf(command: string): (keyof CommandFacts)[] {
  const facts = Object.entries(commandFacts(command, place.project, world)) as [keyof CommandFacts, boolean][];
  return facts.flatMap(([name, holds]) => (holds ? [name] : []));
}

describe("a command", () => {
  test.each([
    ["ls -la src", ["isReadOnly", "isReadable"]],
    ["cat a | grep b", ["isReadOnly", "isReadable"]],
    ["npm test", ["isReadable"]],
    ["echo x > a.txt", ["isReadable"]],
    ["cat /etc/hosts", ["isReadable", "leavesWorkspace"]],
    ["cat ../../x", ["isReadable", "leavesWorkspace"]],
    ["cat $FILE", ["isReadable", "leavesWorkspace"]],
    ["curl https://example.com", ["isReadable", "usesNetwork"]],
    ["rm a.txt", ["isReadable", "deletes"]],
    ["rm -rf build", ["isReadable", "deletes", "destroys"]],
    ["echo $(rm x)", ["isReadable", "deletes"]],
    ["cat names | xargs rm", ["isReadable", "deletes", "leavesWorkspace"]],
    ["find . -delete", ["isReadable", "deletes"]],
    ["git reset --hard", ["isReadable", "destroys"]],
    ["git -C . clean -fd", ["isReadable", "deletes", "destroys"]],
    ["git push", ["isReadable", "usesNetwork", "leavesSandbox"]],
    ["git push -f origin main", ["isReadable", "destroys", "forcePushes", "usesNetwork", "leavesSandbox"]],
    ["git -c a.b=c push origin +main", ["isReadable", "destroys", "forcePushes", "usesNetwork", "leavesSandbox"]],
    ["git push origin :gone", ["isReadable", "destroys", "forcePushes", "usesNetwork", "leavesSandbox"]],
    ["apt-get install x", ["isReadable", "destroys", "usesNetwork"]],
    ["gh pr list", ["isReadable", "usesNetwork", "leavesSandbox"]],
    // Which programs these start nobody can say before they run.
    ["node -e 'x()'", []],
    ['bash -c "$X"', ["leavesWorkspace"]],
    ["$COMMAND a", ["leavesWorkspace"]],
    ['eval "$(cat x)"', []],
    ["echo 'unfinished", []],
  ] satisfies [string, (keyof CommandFacts)[]][])("%s", (command, facts) => {
    expect(factsOf(command).toSorted()).toEqual(facts.toSorted());
  });

  test("that only reads does nothing else, whatever it is", () => {
    const words = fc.constantFrom(
      "ls",
      "cat",
      "rm",
      "-f",
      "git",
      "push",
      "|",
      "&&",
      "$X",
      "/etc",
      "a",
      ">",
      "curl",
      "'",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (parts) => {
        const facts = factsOf(parts.join(" "));
        if (facts.includes("isReadOnly")) expect(facts).toEqual(["isReadOnly", "isReadable"]);
      }),
    );
  });
});
