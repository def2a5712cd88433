// Runs the tests and closes with one line `N passed, N failed`, counted from the runner's own report.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ralph-test-"));
const report = join(folder, "report.xml");
const runner = Bun.spawnSync(
  [process.execPath, "test", "--reporter=junit", `--reporter-outfile=${report}`, ...process.argv.slice(2)],
  {
    stdio: ["ignore", "inherit", "inherit"],
  },
);
const counts = countsIn(report);
rmSync(folder, { recursive: true, force: true });
if (counts === undefined) {
  console.log("0 passed, 1 failed");
  process.exit(runner.exitCode || 1);
}
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`,
);
process.exit(runner.exitCode || (counts.failed > 0 ? 1 : 0));

function countsIn(path: string): { passed: number; failed: number; skipped: number } | undefined {
  try {
    const root = /<testsuites\b[^>]*>/.exec(readFileSync(path, "utf8"))?.[0] ?? "";
    const [tests, failed, skipped] = ["tests", "failures", "skipped"].map((name) =>
      Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? Number.NaN),
    );
    if (tests === undefined || failed === undefined || skipped === undefined || Number.isNaN(tests + failed))
      return undefined;
    return { passed: tests - failed - (skipped || 0), failed, skipped: skipped || 0 };
  } catch {
    return undefined;
  }
}
