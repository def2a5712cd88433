import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import type { LiveAgents } from "../agents/live-agents.ts";
import type { OpenedLive } from "../agents/open-agent.ts";
import type { RunContext } from "../run-context.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { settingFlags } from "../settings/setting-flags.ts";
import type { FirstChoice } from "./first-run.ts";

/** The first agent, or the wish to see the loop instead. Where nothing is configured that could answer, the person is asked. */
export async function startWithModel(
  context: RunContext,
  run: InteractiveRun,
  agents: LiveAgents,
): Promise<OpenedLive | "loop"> {
  let opened = await agents.start();
  if (opened.ok || !opened.isWithoutModel) return opened;
  const { firstRun } = await import("./first-run.ts");
  while (!opened.ok && opened.isWithoutModel) {
    const choice = await firstRun(context, run, opened.message);
    if (choice.type === "skip") return opened;
    if (choice.type === "loop") return "loop";
    await take(context, choice);
    opened = await agents.start();
  }
  if (opened.ok) run.host().say("Ready. Write what you want done; Enter sends it.");
  return opened;
}

/** For this run; the context is that of this conversation alone. */
async function take(context: RunContext, choice: FirstChoice): Promise<void> {
  if (choice.type === "key") context.environment = { ...context.environment, [choice.variable]: choice.key };
  if (choice.type !== "demo") return;
  const flags = new Map([...context.arguments.flags, ["model", "scripted/demo"]] as const);
  context.arguments = { ...context.arguments, flags };
  const { paths, cwd, environment, memo, isTrusted } = context;
  const sources = { paths, cwd, environment, memo, isTrusted };
  context.settings = await loadSettings({ ...sources, flags: settingFlags(context.arguments) });
}
