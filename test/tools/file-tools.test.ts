import { expect, test } from "bun:test";
import type { Tool } from "../../src/protocol/tool-runs.ts";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { applyDeltaTool } from "../../src/tools/apply-delta.ts";
import { copyFileTool } from "../../src/tools/copy-file.ts";
import { createDirectoryTool } from "../../src/tools/create-directory.ts";
import { deleteDirectoryTool } from "../../src/tools/delete-directory.ts";
import { deleteFileTool } from "../../src/tools/delete-file.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { fileInfoTool } from "../../src/tools/file-info.ts";
import { listDirTool } from "../../src/tools/list-dir.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { toolWorldIn } from "../support/tool-runs.ts";

const directory = temporaryDirectories();
const SINGLE_PATH = [
  readFileTool,
  writeFileTool,
  appendFileTool,
  editFileTool,
  applyDeltaTool,
  fileInfoTool,
  listDirTool,
  createDirectoryTool,
  deleteFileTool,
  deleteDirectoryTool,
];
const ALL = [...SINGLE_PATH, moveFileTool, copyFileTool];
const toolsOf = (makers: typeof ALL): Tool[] => {
  const world = toolWorldIn(directory());
  return makers.map((make) => make(world));
};

test("file tools have their names, and the spellings models use are understood", () => {
  expect(toolsOf(ALL).map(({ name, aliases, isReadOnly }) => [name, aliases.join(" "), isReadOnly])).toEqual([
    ["read_file", "read cat", true],
    ["write_file", "write", false],
    ["append_file", "", false],
    ["edit_file", "edit", false],
    ["apply_delta", "", false],
    ["file_info", "", true],
    ["list_dir", "list_directory ls", true],
    ["create_directory", "mkdir", false],
    ["delete_file", "rm", false],
    ["delete_directory", "rmdir", false],
    ["move_file", "mv", false],
    ["copy_file", "cp", false],
  ]);
});

test("arguments no tool knows are refused by every one of them, and so is a missing path", () => {
  for (const tool of toolsOf(ALL)) {
    expect(tool.parameters.additionalProperties).toBe(false);
    expect(JSON.stringify(tool.prepare({ nonsense: 1 }))).toContain('\\"nonsense\\" is not an argument of this tool');
  }
});

test("a path that leads nowhere asks for nothing and does nothing", async () => {
  for (const tool of toolsOf(SINGLE_PATH)) {
    const prepared = tool.prepare({ file_path: "", ...REST[tool.name] });
    if ("message" in prepared) throw new Error(`${tool.name}: ${prepared.message}`);
    expect(prepared.asks).toEqual([]);
    const call = { type: "tool-call" as const, id: "1", name: tool.name, input: {} };
    expect(await prepared.run({ call, signal: new AbortController().signal, update: () => undefined })).toEqual({
      content: [
        { type: "text", text: "The path is empty: give a path relative to the workspace, or an absolute one." },
      ],
      isError: true,
    });
  }
});

const REST: Record<string, object> = {
  write_file: { content: "" },
  append_file: { content: "" },
  edit_file: { old_string: "a", new_string: "b" },
  apply_delta: { operations: [] },
};

test("the tools every first request carries stay small", () => {
  const core = toolsOf([readFileTool, writeFileTool, editFileTool, listDirTool]);
  const sent = core.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
  expect(sent.join("").length).toBeLessThan(2400);
});
