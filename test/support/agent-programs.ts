import { join } from "node:path";

// The agents of programs/agents, by name.

export const AGENT_PROGRAMS = [
  "asks",
  "deletes-control",
  "does-nothing",
  "echoes-prompt",
  "edits-checks",
  "fails",
  "finishes",
  "flips",
  "forks-daemon",
  "full-screen",
  "hangs",
  "ignores-term",
  "lies",
  "marks-early",
  "prints-forever",
  "prints-garbage",
  "prints-million",
  "reports-quota",
  "speaks-rtf1",
  "stays-open",
  "writes-verdict",
] as const;

export type AgentProgram = (typeof AGENT_PROGRAMS)[number];

/** Where its file lies. */
export function agentProgram(name: AgentProgram): string {
  return join(import.meta.dir, "programs/agents", `${name}.sh`);
}
