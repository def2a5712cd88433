import { resolve } from "node:path";
import { decideResources } from "../../permissions/gate/decide.ts";
import { decideCommand } from "../../permissions/gate/decide-command.ts";
import { openPolicy } from "../../permissions/gate/open-policy.ts";
import { readPermissionRule } from "../../permissions/gate/permission-rule.ts";
import type { GatePolicy, GateWorld } from "../../permissions/gate/policy.ts";
import type { ToolCallPart } from "../../protocol/messages.ts";
import type { AskDraft } from "../../protocol/tool-runs.ts";
import { readSession } from "../../sessions/read-session.ts";
import { listSessions } from "../../sessions/session-list.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { visible } from "../printable.ts";
import type { RunContext } from "../run-context.ts";
import { configuredPolicy, policyPlaces } from "./configured-policy.ts";

/** `ralph permissions simulate RULE`: what of the past sessions of this folder the rule would have allowed without a question. */
export async function simulate(context: RunContext, rule: string | undefined): Promise<number> {
  const read = rule === undefined ? undefined : readPermissionRule(rule, "allow", "the simulation");
  if (read?.ok !== true) {
    context.note(read === undefined ? "Name the rule: ralph permissions simulate 'Bash(npm test:*)'" : read.message);
    return EXIT.usage;
  }
  const { policy, world, problems } = await openPolicy(configuredPolicy(context), policyPlaces(context));
  for (const problem of problems) context.note(problem);
  const asked = await askedIn(context, policy, world);
  const withRule = { ...policy, rules: [...policy.rules, read.rule] };
  const allowed = asked.filter((ask) => effectOf(ask, withRule, world) === "allow");
  print(visible(reported(rule ?? "", asked.length, allowed)));
  return EXIT.done;
}

/** Everything the sessions of this folder did that is asked about as things stand, without a sandbox. */
async function askedIn(context: RunContext, policy: GatePolicy, world: GateWorld): Promise<AskDraft[]> {
  const sessions = await listSessions({ places: context.paths, cwd: context.cwd });
  const asks: AskDraft[] = [];
  for (const { path } of sessions) {
    const session = await readSession(path, context.paths.blobs);
    if (!session.ok) continue;
    const calls = session.entries.flatMap((entry) => (entry.type === "tool-started" ? [entry.call] : []));
    asks.push(...calls.flatMap((call) => askOf(call, world.workspace)));
  }
  return asks.filter((ask) => effectOf(ask, policy, world) === "ask");
}

const CATEGORIES: Record<string, "file_read" | "file_write"> = {
  read_file: "file_read",
  write_file: "file_write",
  edit_file: "file_write",
  append_file: "file_write",
  delete_file: "file_write",
};

function askOf({ name, input }: ToolCallPart, workspace: string): AskDraft[] {
  const { command, path, url } = input;
  if (typeof command === "string") return [{ category: "shell", resources: [command], summary: command }];
  if (typeof url === "string") return [{ category: "network", resources: [url], summary: url }];
  const category = CATEGORIES[name];
  if (category === undefined || typeof path !== "string") return [];
  return [{ category, resources: [resolve(workspace, path)], summary: `${name} ${path}` }];
}

function effectOf(ask: AskDraft, policy: GatePolicy, world: GateWorld): string {
  if (ask.category !== "shell") return decideResources({ ...ask, tool: "" }, policy, world).effect;
  const [command = ""] = ask.resources;
  return decideCommand({ command, cwd: world.workspace }, policy, world).effect;
}

const MOST_SHOWN = 20;

function reported(rule: string, asked: number, allowed: readonly AskDraft[]): string {
  const counts = new Map<string, number>();
  for (const { summary } of allowed) counts.set(summary, (counts.get(summary) ?? 0) + 1);
  const lines = [...counts].toSorted((one, other) => other[1] - one[1]).slice(0, MOST_SHOWN);
  const more = counts.size - lines.length;
  return [
    `${rule} would have answered ${allowed.length} of the ${asked} questions of this folder's sessions.`,
    ...lines.map(([summary, count]) => `  ${count} × ${summary.replaceAll("\n", "⏎")}`),
    ...(more > 0 ? [`  and ${more} others`] : []),
    "",
  ].join("\n");
}
