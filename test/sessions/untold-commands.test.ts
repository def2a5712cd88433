import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { currentBranch } from "../../src/sessions/tree.ts";
import { commandsMessage, untoldCommands } from "../../src/sessions/untold-commands.ts";
import { anyEntries, chain, said, user } from "../support/session-samples.ts";

const RAN = { type: "command" as const, command: "make", output: "done", ending: "Exit code 0.", exitCode: 0 };

describe("commands of the person", () => {
  test("are untold until a message names them, on this branch", () => {
    const entries = chain(
      RAN,
      said(user("one")),
      RAN,
      { type: "message", message: user("told"), commandIds: ["e1"] },
      RAN,
      said(user("two")),
    );
    const ids = (leafId: string | null) => untoldCommands(entries, leafId).map(({ id }) => id);
    expect(["e6", "e4", "e3", "e1", null].map((leaf) => ids(leaf))).toEqual([
      ["e3", "e5"],
      ["e3"],
      ["e1", "e3"],
      ["e1"],
      [],
    ]);
  });

  test("whatever the entries are, each is either untold or named", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const branch = currentBranch(entries);
        const leafId = branch.at(-1)?.id ?? null;
        const ran = branch.filter(({ type }) => type === "command").map(({ id }) => id);
        const untold = untoldCommands(entries, leafId).map(({ id }) => id);
        const named = branch.flatMap((entry) => (entry.type === "message" ? (entry.commandIds ?? []) : []));
        expect(untold).toEqual(ran.filter((id) => untold.includes(id)));
        expect(ran.filter((id) => !untold.includes(id) && !named.includes(id))).toEqual([]);
      }),
    );
  });

  test("are told with what they printed, how they ended, and where all of it is", () => {
    const [short, long] = chain(RAN, { ...RAN, output: "", artifact: "/kept/all.txt" });
    const commands = [short, long].flatMap((entry) => (entry?.type === "command" ? [entry] : []));
    expect(commandsMessage(commands)).toEqual({
      role: "user",
      content: [
        {
          type: "text",
          text: "<command_of_person>\nThe person ran this command themselves:\n$ make\ndone\nExit code 0.\n</command_of_person>",
        },
        {
          type: "text",
          text: "<command_of_person>\nThe person ran this command themselves:\n$ make\nExit code 0. The whole output is in /kept/all.txt\n</command_of_person>",
        },
      ],
    });
  });
});
