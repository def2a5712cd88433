// The test files in two halves that take about the same time, so that both of two processors have work.

/** Seconds the slow ones take; every other file counts as half a second. */
const SECONDS: Readonly<Record<string, number>> = {
  "test/cli/kill.test.ts": 140,
  "test/cli/loop-kill.test.ts": 63,
  "test/cli/loop-two.test.ts": 53,
  "test/cli/loop-flags.test.ts": 41,
  "test/cli/loop-run.test.ts": 37,
  "test/cli/loop-verdicts.test.ts": 29,
  "test/cli/sessions.test.ts": 29,
  "test/cli/loop-stop.test.ts": 26,
  "test/cli/loop-branches.test.ts": 21,
  "test/cli/sandbox.test.ts": 21,
  "test/coder/work.test.ts": 19,
  "test/cli/loop-cheats.test.ts": 17,
  "test/cli/interactive.test.ts": 16,
  "test/cli/export-html.test.ts": 15,
  "test/cli/hostile.test.ts": 15,
  "test/llm/wire-protocols.test.ts": 14,
  "test/cli/loop-control.test.ts": 14,
  "test/permissions/published-weaknesses.test.ts": 14,
  "test/cli/loosening.test.ts": 13,
  "test/cli/loop-terminal.test.ts": 13,
  "test/cli/print-text.test.ts": 13,
  "test/tools/link-races.test.ts": 12,
  "test/cli/undo-broken-off.test.ts": 12,
  "test/cli/resume.test.ts": 12,
  "test/cli/print-failures.test.ts": 11,
  "test/cli/permissions-check.test.ts": 10,
  "test/cli/loop-repository.test.ts": 10,
  "test/cli/loop-agents.test.ts": 10,
  "test/cli/loop-undo.test.ts": 9,
  "test/cli/models.test.ts": 9,
  "test/cli/claude-permissions.test.ts": 9,
  "test/permissions/sandbox/escape.test.ts": 9,
  "test/cli/trust.test.ts": 9,
  "test/cli/providers.test.ts": 9,
  "test/cli/print-request.test.ts": 9,
  "test/cli/questions.test.ts": 8,
  "test/house-rules.test.ts": 8,
  "test/sessions/stored-entries.test.ts": 7,
  "test/cli/print-interrupt.test.ts": 7,
  "test/cli/loop-interactive.test.ts": 7,
  "test/cli/loop-questions.test.ts": 6,
  "test/cli/undo.test.ts": 6,
  "test/cli/print-images.test.ts": 6,
  "test/cli/secrets-scan.test.ts": 6,
  "test/loop/checks/verify-story.test.ts": 5,
  "test/cli/flags.test.ts": 5,
  "test/loop/runners/run-agent.test.ts": 5,
  "test/cli/scripted.test.ts": 4,
  "test/cli/loop-init.test.ts": 4,
  "test/cli/secrets-enabled.test.ts": 4,
  "test/loop/state/registry.test.ts": 4,
  "test/tools/search-engines.test.ts": 4,
  "test/sessions/journal-faults.test.ts": 4,
};

export function shardsOf(files: readonly string[]): [string[], string[]] {
  const shards: [string[], string[]] = [[], []];
  const loads = [0, 0];
  const weighed = files.map((file) => ({ file, seconds: SECONDS[file] ?? 0.5 }));
  for (const { file, seconds } of weighed.sort((one, other) => other.seconds - one.seconds)) {
    const at = (loads[0] ?? 0) <= (loads[1] ?? 0) ? 0 : 1;
    shards[at].push(file);
    loads[at] = (loads[at] ?? 0) + seconds;
  }
  return shards;
}
