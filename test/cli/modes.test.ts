import { describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/protocol/json.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";

/** Everything that changes something, by every name it has. */
const CHANGES: { name: string; input: Record<string, unknown> }[] = [
  { name: "shell", input: { command: "touch made" } },
  { name: "bash", input: { command: "ls" } },
  { name: "shell", input: { command: "touch made", background: true } },
  { name: "write_file", input: { path: "made", content: "x" } },
  { name: "append_file", input: { path: "kept", content: "x" } },
  { name: "edit_file", input: { path: "kept", old_string: "k", new_string: "x" } },
  { name: "delete_file", input: { path: "kept" } },
  { name: "delete_directory", input: { path: "folder" } },
  { name: "create_directory", input: { path: "made" } },
  { name: "copy_file", input: { source: "kept", destination: "made" } },
  { name: "move_file", input: { source: "kept", destination: "made" } },
];

const OPEN = ["--yolo", "--allow", "Bash", "--allow-category", "file_write"];

async function tryAll(ralph: FrontDoor, first: Parameters<typeof toolCallAnswer>[0][], flags: string[]) {
  ralph.workspace.write("project/kept", "kept");
  ralph.workspace.write("project/folder/a", "a");
  ralph.provider.answer(...[...first, ...CHANGES].map((call) => toolCallAnswer(call)), textAnswer("ok"));
  await ralph.run(["-p", "go", ...OPEN, ...flags]);
  const body = asObject(ralph.provider.requests.at(-1)?.body);
  const results = asArray(body?.messages).flatMap((message) =>
    asArray(asObject(message)?.content).flatMap((part) => {
      const { type, content } = asObject(part) ?? {};
      return type === "tool_result" ? [JSON.stringify(content)] : [];
    }),
  );
  const left = ralph.workspace.find("project/**");
  return { results: results.slice(first.length), left };
}

describe("a mode that only looks", () => {
  test("safe mode refuses whatever changes something, although every question is answered with yes", async () => {
    using ralph = await openFrontDoor();
    const leave = [{ name: "switch_mode", input: { mode: "default" } }];
    const { results, left } = await tryAll(ralph, leave, ["--safe"]);
    expect(results.filter((text) => !/was not run: safe mode offers only|no tool/i.test(text))).toEqual([]);
    expect([results.length, left]).toEqual([CHANGES.length, ["project/folder/a", "project/kept"]]);
  });

  for (const mode of ["plan", "explore"])
    test(`${mode} mode does, too`, async () => {
      using ralph = await openFrontDoor();
      const { results, left } = await tryAll(ralph, [{ name: "switch_mode", input: { mode } }], []);
      const refusal = new RegExp(`was not run: ${mode} mode allows only tools that change nothing`);
      expect(results.filter((text) => !refusal.test(text))).toEqual([]);
      expect([results.length, left]).toEqual([CHANGES.length, ["project/folder/a", "project/kept"]]);
    });
});
