import { billOf } from "../../models/prices.ts";
import type { Registry } from "../../models/registry.ts";
import type { Usage } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { brokenOff } from "../../sessions/broken-off.ts";
import { contextOf } from "../../sessions/context.ts";
import { unstoredAnswer } from "../../sessions/drafts/unstored-answer.ts";
import { type SessionTotals, sessionTotals } from "../../sessions/totals.ts";
import { EXIT } from "../exit-codes.ts";
import { modelInput } from "../model-choice.ts";
import { print } from "../output.ts";
import { printableJson } from "../printable.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { type ChosenBranch, readBranch, withUnstoredAnswer } from "./branch.ts";
import { readable, readableEnd } from "./conversation.ts";
import { ago, counted, dollars, exactly, grouped, oneLine } from "./wording.ts";

/** `ralph sessions show ID`: what the session is, then what was said. */
export async function show(context: RunContext, [id]: readonly string[]): Promise<number> {
  const read = await readBranch(context, "show", id);
  if (!read.ok) return read.code;
  const { session, branch } = read;
  if (hasFlag(context, "json")) {
    const whole = withUnstoredAnswer(read);
    const entries = flagText(context, "entry") === undefined ? whole.session.entries : whole.branch;
    for (const line of [session.header, ...entries]) if (!print(printableJson(line))) break;
    return EXIT.done;
  }
  if (!print(await about(context, read))) return EXIT.done;
  for (const entry of branch) if (!print(readable(entry))) return EXIT.done;
  print(endOf(read));
  return EXIT.done;
}

/** Only where work goes on is something missing; other branches were left. */
function endOf({ session, path, branch, end }: ChosenBranch): string {
  if (end !== session.entries.at(-1)?.id) return "";
  const back = branch.toReversed();
  const answer = unstoredAnswer({ path, back: () => back })?.message;
  return readableEnd({ answer, broken: brokenOff(back)?.what });
}

async function about(context: RunContext, read: ChosenBranch): Promise<string> {
  const { header, entries } = read.session;
  const { model, effort, mode, name } = contextOf(entries, read.end);
  const totals = sessionTotals(entries);
  const rows: [string, string | undefined][] = [
    ["session", read.id],
    ["name", name],
    ["folder", header.cwd || undefined],
    ["began", when(header.at, context)],
    ["last entry", when(entries.at(-1)?.at, context)],
    ["forked from", header.parentSession],
    ["model", model],
    ["effort", effort],
    ["mode", mode],
    ["messages", messagesOf(entries)],
    ["tokens", tokensOf(totals.usage)],
    ["peak input", `${counted(totals.largestPrompt, "token")} in one request`],
    ["cost", costOf(totals)],
    ...(await crossings(context, entries)).map((line): [string, string] => ["dearer", line]),
    ["branches", branchesOf(read)],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === undefined || value === "" ? [] : [`${label.padEnd(12)} ${oneLine(value)}\n`],
  );
  return lines.join("");
}

function when(at: string | undefined, { clock }: RunContext): string | undefined {
  const time = Date.parse(at ?? "");
  return Number.isNaN(time) ? undefined : `${exactly(time)} (${ago(time, clock.now())})`;
}

function messagesOf(entries: readonly SessionEntry[]): string {
  const roles = entries.flatMap((entry) => (entry.type === "message" ? [entry.message.role] : []));
  const of = (role: string) => roles.filter((candidate) => candidate === role).length;
  const answers = counted(of("assistant"), "answer");
  return `${of("user")} of people, ${answers}, ${counted(of("tool-result"), "tool result")}`;
}

function tokensOf({ input, output, cacheRead, cacheWrite, reasoning }: Usage): string {
  const thought = reasoning === undefined ? "" : ` (${grouped(reasoning)} of thinking)`;
  return `input ${grouped(input)}, output ${grouped(output)}${thought}, cache read ${grouped(cacheRead)}, cache write ${grouped(cacheWrite)}`;
}

function costOf({ cost, unpricedTurns, turns }: SessionTotals): string | undefined {
  if (turns === 0) return undefined;
  if (cost === undefined) return "no price is known";
  const unknown = unpricedTurns === 0 ? "" : `, without ${counted(unpricedTurns, "answer")} of unknown price`;
  return `${dollars(cost)}${unknown}`;
}

/** For each model the longest prompt that passed a threshold beyond which its provider takes more. */
async function crossings(context: RunContext, entries: readonly SessionEntry[]): Promise<string[]> {
  const { loadRegistry } = await import("../../models/load-registry.ts");
  const { registry } = await loadRegistry(modelInput(context), { discover: false });
  const longest = new Map<string, { promptTokens: number; crossed: number }>();
  for (const entry of entries) {
    const crossing = crossingOf(registry, entry);
    if (crossing === undefined) continue;
    const known = longest.get(crossing.model);
    if (known === undefined || known.promptTokens < crossing.promptTokens) longest.set(crossing.model, crossing);
  }
  return [...longest].map(
    ([model, { promptTokens, crossed }]) =>
      `a prompt of ${grouped(promptTokens)} tokens: ${model} costs more above ${grouped(crossed)}`,
  );
}

function crossingOf(registry: Registry, entry: SessionEntry) {
  if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
  const { provider, model, usage } = entry.message;
  const bill = billOf(usage, registry.find(provider, model)?.cost);
  if (bill?.crossed === undefined) return undefined;
  return { model: `${provider}/${model}`, promptTokens: bill.promptTokens, crossed: bill.crossed };
}

const SHOWN_ENDS = 8;

/** More than one: where each ends, so that it can be chosen. */
function branchesOf({ ends, end }: ChosenBranch): string | undefined {
  if (ends.length < 2) return undefined;
  const some = ends.slice(-SHOWN_ENDS).map((id) => (id === end ? `${id} (shown)` : id));
  const rest = ends.length > SHOWN_ENDS ? "…, " : "";
  return `${ends.length}; choose one with --entry: ${rest}${some.join(", ")}`;
}
