import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Program } from "./measure.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

// What all rows share: the compiled Ralph with a home of its own, a model on loopback, folders that are removed in the end.

export interface BenchWorld {
  /** The compiled file. */
  program: string;
  server: ModelServer;
  /** Ralph with a prompt, as a stranger runs it. */
  ralph(prompt: string, ...flags: string[]): Program;
  /** A program of bench/floor/ that is given the address of the model. */
  floor(name: string, ...given: string[]): Program;
  /** An empty folder. */
  folder(): string;
  stop(): void;
}

const ROOT = resolve(import.meta.dir, "..");

export async function openBenchWorld(): Promise<BenchWorld> {
  const program = join(ROOT, "dist/ralph");
  const home = mkdtempSync(join(tmpdir(), "ralph-bench-"));
  const server = startModelServer();
  await Bun.write(join(home, "config/models.yml"), `providers:\n  anthropic:\n    baseUrl: ${server.url}\n`);
  return {
    program,
    server,
    ralph: (prompt, ...flags) => ({
      argv: [program, "-p", "--model", "anthropic/claude-sonnet-4-6", ...(prompt === "" ? [] : [prompt]), ...flags],
      environment: { RALPH_HOME: home, ANTHROPIC_API_KEY: "sk-bench" },
    }),
    floor: (name, ...given) => ({
      argv: [process.execPath, join(import.meta.dir, `floor/${name}.ts`), server.url, ...given],
    }),
    folder: () => mkdtempSync(join(home, "folder-")),
    stop() {
      server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Whether it worked. */
export function buildRalph(): boolean {
  const built = Bun.spawnSync([process.execPath, join(ROOT, "scripts/build.ts")], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return built.exitCode === 0;
}
