// Runs the tests and closes with one line `N passed, N failed`, counted from the runner's own reports. All of them run in two halves
// at the same time, with Ralph compiled, which starts faster; with arguments only what they name runs, in one and from source.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { shardsOf } from "./test-shards.ts";

/** A test on a busy machine may take a while; one that hangs is still ended. */
const LIMIT_MS = 20_000;

const given = process.argv.slice(2);
const binary = given.length > 0 ? process.env.RALPH_TEST_BINARY : (process.env.RALPH_TEST_BINARY ?? compiled());
const folder = mkdtempSync(join(tmpdir(), "ralph-test-"));
const shards = given.length > 0 ? [given] : shardsOf([...new Bun.Glob("test/**/*.test.ts").scanSync(".")].sort());
const runs = shards.map((words, at) => runShard(words, { report: join(folder, `${at}.xml`), isFirst: at === 0 }));
const results = await Promise.all(runs);
const keep = process.env.RALPH_TEST_REPORTS;
if (keep !== undefined)
  await Promise.all(results.map(({ report }, at) => Bun.write(join(keep, `${at}.xml`), Bun.file(report))));
const counts = results.map(({ report }) => countsIn(report));
rmSync(folder, { recursive: true, force: true });
const sum = (of: (count: Counts) => number) => counts.reduce((total, count) => total + of(count), 0);
const failed = sum((count) => count.failed);
const skipped = sum((count) => count.skipped);
console.log(`${sum((count) => count.passed)} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
const code = results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0;
process.exit(code || (failed > 0 ? 1 : 0));

function compiled(): string {
  const build = Bun.spawnSync([process.execPath, "scripts/build.ts"], { stdio: ["ignore", "inherit", "inherit"] });
  if (build.exitCode !== 0) process.exit(build.exitCode || 1);
  return resolve("dist/ralph");
}

interface Shard {
  report: string;
  /** Its output is shown as it comes; that of the other half after it, so that they do not mix. */
  isFirst: boolean;
}

async function runShard(words: readonly string[], { report, isFirst }: Shard) {
  const runner = Bun.spawn(
    [
      ...[process.execPath, "test", `--timeout=${LIMIT_MS}`],
      ...["--reporter=junit", `--reporter-outfile=${report}`, ...words],
    ],
    {
      env: { ...process.env, RALPH_TEST_BINARY: binary },
      stdin: "ignore",
      stdout: isFirst ? "inherit" : "pipe",
      stderr: isFirst ? "inherit" : "pipe",
    },
  );
  const [stdout, stderr] = await Promise.all([textOf(runner.stdout), textOf(runner.stderr), runner.exited]);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return { report, exitCode: runner.exitCode ?? 1 };
}

function textOf(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
  return stream === undefined ? Promise.resolve("") : new Response(stream).text();
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A report that cannot be read is a failure. */
function countsIn(path: string): Counts {
  const none = { passed: 0, failed: 1, skipped: 0 };
  try {
    const root = /<testsuites\b[^>]*>/.exec(readFileSync(path, "utf8"))?.[0] ?? "";
    const [tests, failures, skips] = ["tests", "failures", "skipped"].map((name) =>
      Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? Number.NaN),
    );
    if (tests === undefined || failures === undefined || Number.isNaN(tests + failures)) return none;
    return { passed: tests - failures - (skips || 0), failed: failures, skipped: skips || 0 };
  } catch {
    return none;
  }
}
