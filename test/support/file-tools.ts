import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Tool, ToolOutput } from "../../src/protocol/tool-runs.ts";
import type { ToolWorld } from "../../src/tools/tool-world.ts";
import { manualClock } from "./manual-clock.ts";
import { callTool, textOf, toolWorldIn } from "./tool-runs.ts";

/** A workspace on disk and the tools that work in it. */
export interface FileSession {
  world: ToolWorld;
  root: string;
  /** What the world was told before it changed. */
  announced: string[];
  write(path: string, content: string | Uint8Array): string;
  read(path: string): string;
  call(tool: (world: ToolWorld) => Tool, input: Record<string, unknown>): Promise<ToolOutput>;
  /** Only the words; a failure begins with "failed: ". */
  say(tool: (world: ToolWorld) => Tool, input: Record<string, unknown>): Promise<string>;
}

/** `onChange` runs before a file is changed: the moment somebody else can come in between. */
export function fileSession(directory: string, onChange: (path: string) => void = () => undefined): FileSession {
  const announced: string[] = [];
  const world: ToolWorld = {
    ...toolWorldIn(directory),
    clock: manualClock(),
    beforeChange: async (...paths) => {
      for (const path of paths) {
        announced.push(path);
        onChange(path);
      }
      return undefined;
    },
  };
  const call: FileSession["call"] = (tool, input) => callTool(tool(world), input);
  return {
    world,
    root: world.root,
    announced,
    write(path, content) {
      const full = join(world.root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
      return full;
    },
    read: (path) => readFileSync(join(world.root, path), "utf8"),
    call,
    say: async (tool, input) => {
      const output = await call(tool, input);
      return (output.isError ? "failed: " : "") + textOf(output);
    },
  };
}
