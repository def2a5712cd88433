import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decideCommand } from "../src/permissions/gate/decide-command.ts";
import { openPolicy } from "../src/permissions/gate/open-policy.ts";
import type { BenchWorld } from "./bench-world.ts";
import { runOnce } from "./measure.ts";
import type { Row } from "./rows.ts";

// What a decision costs: over the collections of bypasses and everyday commands, with a policy as people have it and a workspace on
// the disk; and 10,000 lines through the two commands that answer lines.

const PASSES = 3;
const LINES = 10_000;
const MINUTE_MS = 60_000;

interface Case {
  command: string;
  allow_rules: unknown[];
}

export async function permissionRows(world: BenchWorld): Promise<Row[]> {
  const cases = ["bypasses", "everyday"].flatMap(corpus);
  const workspace = workspaceIn(realpathSync(world.folder()));
  const took = await decisionTimes(cases, workspace);
  const lines = many(cases).map(({ command, allow_rules }, id) => ({ id, command, workspace, allow_rules }));
  const measured = (what: string) => `${what}, ${cases.length.toLocaleString("en")} commands, best of ${PASSES}`;
  return [
    { measure: measured("a decision, 99th percentile"), unit: "ms", pair: { ralph: at(took, 0.99) }, most: 5 },
    { measure: measured("a decision, worst"), unit: "ms", pair: { ralph: at(took, 1) }, most: 50 },
    await streamed(world, "check", lines),
    await streamed(world, "path", pathLines(workspace)),
  ];
}

function corpus(name: string): Case[] {
  const file = join(import.meta.dir, "../test/fixtures/permissions", `${name}.jsonl`);
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
}

function many<Value>(values: readonly Value[]): Value[] {
  const rounds = Math.ceil(LINES / values.length);
  return Array.from({ length: rounds }, () => values)
    .flat()
    .slice(0, LINES);
}

function workspaceIn(folder: string): string {
  for (const path of ["src/deep", ".git/hooks", "node_modules/x", "docs"])
    mkdirSync(join(folder, path), { recursive: true });
  for (const path of ["src/a.ts", ".env", "package.json"]) writeFileSync(join(folder, path), "");
  symlinkSync("/etc", join(folder, "out"));
  symlinkSync("src", join(folder, "link"));
  return folder;
}

/** Each the best of some passes: what else the machine does is not part of it. The first pass loads what is loaded once. */
async function decisionTimes(cases: readonly Case[], workspace: string): Promise<number[]> {
  const allowed = ["Bash(npm run:*)", "Bash(git commit:*)", "Bash(cargo:*)", "Write(src/**)", "Bash(make:*)"];
  const { policy, world } = await openPolicy(
    { settings: { "permissions.deny": ["Bash(curl:*)", "Read(secrets/**)"] }, allowed, allowedCategories: [] },
    {
      workspace,
      home: "/home/bench",
      own: { config: "/home/bench/.config/ralph", data: "/home/bench/.local/share/ralph" },
      rememberedPath: join(workspace, "none.json"),
      now: Date.now,
    },
  );
  decideCommand({ command: "ls", cwd: workspace }, policy, world);
  const best = cases.map(() => Number.POSITIVE_INFINITY);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [index, { command }] of cases.entries()) {
      const started = performance.now();
      decideCommand({ command, cwd: workspace }, policy, world);
      best[index] = Math.min(best[index] ?? 0, performance.now() - started);
    }
  }
  return best.sort((one, other) => one - other);
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

async function streamed({ program }: BenchWorld, what: "check" | "path", lines: readonly object[]): Promise<Row> {
  const stdin = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
  const { wallMs } = await runOnce({ argv: [program, "permissions", what], stdin });
  const measure = `\`ralph permissions ${what}\`, ${lines.length.toLocaleString("en")} lines`;
  return { measure, unit: "ms", pair: { ralph: wallMs }, most: MINUTE_MS };
}

function pathLines(workspace: string): object[] {
  const paths = [
    "src/a.ts",
    "./src/../src/a.ts",
    "link/a.ts",
    "out/passwd",
    "../x",
    "/etc/passwd",
    ".env",
    ".ENV",
    ".git/hooks/x",
  ];
  const more = [
    "new/deep/file.ts",
    "~/.ssh/id_rsa",
    "src/\u200b.env",
    "~root/x",
    "file:///etc/passwd",
    "C:\\x",
    "a".repeat(300),
  ];
  const ops = ["read", "write", "edit", "delete", "copy", "move"];
  const all = [...paths, ...more].flatMap((path) => ops.map((op) => ({ workspace, op, path, dest: "docs/copy" })));
  return many(all).map((line, id) => ({ id, ...line }));
}
