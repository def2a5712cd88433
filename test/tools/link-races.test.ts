import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "../../src/protocol/tool-runs.ts";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { chosenSearch } from "../../src/tools/chosen-search.ts";
import { copyFileTool } from "../../src/tools/copy-file.ts";
import { createDirectoryTool } from "../../src/tools/create-directory.ts";
import { deleteDirectoryTool } from "../../src/tools/delete-directory.ts";
import { deleteFileTool } from "../../src/tools/delete-file.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { fileInfoTool } from "../../src/tools/file-info.ts";
import { globFilesTool } from "../../src/tools/glob-files.ts";
import { listDirTool } from "../../src/tools/list-dir.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { isWithin } from "../../src/tools/resolve-path.ts";
import { searchFilesTool } from "../../src/tools/search-files.ts";
import type { ToolWorld } from "../../src/tools/tool-world.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { textOf } from "../support/tool-runs.ts";

const directory = temporaryDirectories();
const TIMES = 200;
const ripgrep = Bun.which("rg") ?? undefined;
const searching = (program: string | undefined) => (world: ToolWorld) =>
  searchFilesTool(world, chosenSearch({ findRipgrep: async () => program, environment: world.environment }));

interface Row {
  name: string;
  tool(world: ToolWorld): Tool;
  /** Those that look at everything take longer. */
  times?: number;
  /** Every call needs a file of its own. */
  hasMany?: boolean;
  input(number: number): Record<string, unknown>;
}

/** `dir` is the folder that is swapped for a link to the folder outside, in which everything has the same names. */
const ROWS: Row[] = [
  { name: "read_file", tool: readFileTool, input: () => ({ path: "dir/file" }) },
  { name: "file_info", tool: fileInfoTool, input: () => ({ path: "dir/file" }) },
  { name: "list_dir", times: 100, tool: listDirTool, input: (n) => ({ path: n % 2 ? "dir" : ".", recursive: true }) },
  {
    name: "glob_files",
    times: 100,
    tool: globFilesTool,
    input: (n) => ({ path: n % 2 ? "dir" : ".", pattern: "**/*" }),
  },
  {
    name: "search_files",
    times: 50,
    tool: searching(undefined),
    input: (n) => ({ path: n % 2 ? "dir" : ".", pattern: "side" }),
  },
  { name: "search_files with rg", tool: searching(ripgrep), times: 25, input: () => ({ path: ".", pattern: "side" }) },
  { name: "write_file", tool: writeFileTool, input: (n) => ({ path: `dir/new${n}`, content: "x" }) },
  { name: "write_file in a new folder", tool: writeFileTool, input: (n) => ({ path: `dir/n${n}/a`, content: "x" }) },
  { name: "append_file", tool: appendFileTool, input: () => ({ path: "dir/file", content: "+" }) },
  {
    name: "edit_file",
    tool: editFileTool,
    input: (n) => ({ path: "dir/file", old_string: n % 2 ? "side" : "SIDE", new_string: n % 2 ? "SIDE" : "side" }),
  },
  { name: "create_directory", tool: createDirectoryTool, input: (n) => ({ path: `dir/made${n}` }) },
  { name: "copy_file into it", tool: copyFileTool, input: (n) => ({ source: "tree", destination: `dir/copy${n}` }) },
  { name: "copy_file out of it", tool: copyFileTool, input: (n) => ({ source: "dir", destination: `copy${n}` }) },
  {
    name: "move_file into it",
    tool: moveFileTool,
    hasMany: true,
    input: (n) => ({ source: `many/${n}`, destination: `dir/in${n}` }),
  },
  {
    name: "move_file out of it",
    tool: moveFileTool,
    hasMany: true,
    input: (n) => ({ source: `dir/${n}`, destination: `out${n}` }),
  },
  { name: "delete_file", tool: deleteFileTool, hasMany: true, input: (n) => ({ path: `dir/${n}` }) },
  { name: "delete_directory", tool: deleteDirectoryTool, hasMany: true, input: (n) => ({ path: `dir/folder${n}` }) },
  { name: "delete_directory around it", tool: deleteDirectoryTool, input: () => ({ path: "around" }) },
];

describe("while another process swaps a folder for a link to outside", () => {
  for (const { name, tool, input, hasMany = false, times = TIMES } of ROWS) {
    test(`${times} calls of ${name} touch and show nothing outside`, async () => {
      const { base, root, world, outside, swapped, before } = prepare(
        name.endsWith("around it") ? "around/dir" : "dir",
        hasMany ? TIMES : 1,
      );
      const program = join(import.meta.dir, "../support/programs/swap-folder.ts");
      const swapper = Bun.spawn([process.execPath, program, swapped, outside], { stdout: "pipe" });
      await swapper.stdout.getReader().read();
      const said: { isDone: boolean; text: string }[] = [];
      try {
        for (let number = 0; number < times; number++) said.push(await gatedCall(tool(world), input(number), root));
        await new Promise(setImmediate);
        expect(swapper.exitCode).toBeNull();
      } finally {
        swapper.kill("SIGKILL");
        await swapper.exited;
      }
      expect(treeOf(outside)).toEqual(before);
      expect(said.some(({ isDone }) => isDone)).toBe(true);
      expect(said.filter(({ text }) => text.includes("outside"))).toEqual([]);
      for (const copy of readdirSync(root).filter((entry) => entry.startsWith("copy")))
        expect(JSON.stringify(treeOf(join(root, copy)))).not.toContain("outside");
      rmSync(base, { recursive: true });
    }, 60_000);
  }
});

function prepare(swapped: string, files: number) {
  const base = directory();
  const { world, root, write } = fileSession(base);
  const outside = join(base, "elsewhere");
  const fill = (put: (path: string, content: string) => void, content: string) => {
    put("file", content);
    for (let number = 0; number < files; number++) {
      put(`${number}`, content);
      put(`folder${number}/deep/file`, content);
    }
  };
  fill((path, content) => void write(`${swapped}/${path}`, content), "inside\n");
  fill((path, content) => {
    mkdirSync(join(outside, path, ".."), { recursive: true });
    writeFileSync(join(outside, path), content);
  }, "outside\n");
  writeFileSync(join(outside, "outside-name"), "outside\n");
  write("tree/a/b/file", "inside\n");
  for (let number = 0; number < files; number++) write(`many/${number}`, "inside\n");
  return { base, root, world, outside, swapped: join(root, swapped), before: treeOf(outside) };
}

/** As an agent calls it: what leads out of the workspace when it is asked about is not allowed. */
async function gatedCall(tool: Tool, input: Record<string, unknown>, root: string) {
  const prepared = tool.prepare(input);
  if ("message" in prepared) throw new Error(prepared.message);
  if (!prepared.asks.every(({ resources }) => resources.every((path) => isWithin(root, path))))
    return { isDone: false, text: "denied" };
  const call = { type: "tool-call" as const, id: "1", name: tool.name, input: {} };
  const output = await prepared.run({ call, signal: new AbortController().signal, update: () => undefined });
  return { isDone: output.isError !== true, text: `${textOf(output)} ${JSON.stringify(output.details ?? null)}` };
}

/** Every file with its content, every folder with its mode. */
function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names.sort().map((name) => {
      const stats = statSync(join(folder, name));
      return [name, stats.isFile() ? readFileSync(join(folder, name), "utf8") : `folder ${stats.mode.toString(8)}`];
    }),
  );
}
