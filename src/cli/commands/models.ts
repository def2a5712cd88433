import { loadRegistry } from "../../models/load-registry.ts";
import { type ConcreteRow, listModels as modelList } from "../../models/model-list.ts";
import type { Model } from "../../protocol/models.ts";
import { EXIT } from "../exit-codes.ts";
import { modelInput } from "../model-choice.ts";
import { print } from "../output.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { tellProblems } from "./config.ts";

/** `ralph models [SEARCH]`: what can be used now, and for everything else why not. */
export async function models(context: RunContext): Promise<number> {
  tellProblems(context);
  const { registry, notes } = await loadRegistry(modelInput(context), { discover: true });
  for (const line of notes) context.note(line);
  const { concrete } = modelList(registry, context.arguments.words.join(" "));
  if (hasFlag(context, "json")) print(`${JSON.stringify(concrete.map(jsonRow))}\n`);
  else print(table(concrete));
  return concrete.length === 0 ? EXIT.failed : EXIT.done;
}

/** `--list-models [SEARCH]`: canonical names and what stands behind them, then every model. */
export async function listModels(context: RunContext): Promise<number> {
  tellProblems(context);
  const { registry, notes } = await loadRegistry(modelInput(context), { discover: true });
  for (const line of notes) context.note(line);
  const { canonical, concrete } = modelList(registry, flagText(context, "list-models") ?? "");
  const names = canonical.map(
    (row) => `${row.available ? "✓" : "–"} ${row.id.padEnd(32)} → ${row.resolvesTo}  (${row.variants.join(", ")})`,
  );
  const rows = concrete.map((row) => `${row.whyNot === undefined ? "✓" : "–"} ${row.selector}`);
  print(`Canonical models\n${names.join("\n")}\n\nModels by provider\n${rows.join("\n")}\n`);
  return EXIT.done;
}

function table(rows: ConcreteRow[]): string {
  const usable = rows.filter((row) => row.whyNot === undefined);
  const sections = [
    usable.length === 0 ? "No model can be used yet.\n" : `Can be used\n${usable.map(line).join("\n")}\n`,
    ...reasons(rows.filter((row) => row.whyNot !== undefined)),
  ];
  return rows.length === 0 ? "No model has such a name. See all: ralph models\n" : sections.join("\n");
}

/** What cannot be used, gathered under the reason, so that one missing key is said once. */
function reasons(rows: ConcreteRow[]): string[] {
  const byReason = Map.groupBy(rows, (row) => row.whyNot ?? "");
  return [...byReason].map(([reason, group]) => {
    const shown = group.slice(0, SHOWN).map((row) => `  – ${row.selector}`);
    const more = group.length > SHOWN ? [`  … and ${group.length - SHOWN} more: ralph models SEARCH`] : [];
    return `${[reason, ...shown, ...more].join("\n")}\n`;
  });
}

/** Models of a kind that cannot be used now; a search shows fewer kinds. */
const SHOWN = 3;

function line({ selector, model }: ConcreteRow): string {
  const efforts = model.reasoning ? "thinks" : "";
  return `  ✓ ${selector.padEnd(44)} ${window(model.contextWindow).padStart(6)}  ${price(model).padEnd(16)} ${efforts}`.trimEnd();
}

function window(tokens: number): string {
  return tokens >= 1_000_000 ? `${(tokens / 1_000_000).toFixed(1)}M` : `${Math.round(tokens / 1000)}k`;
}

/** Dollars per million tokens, in and out. */
function price({ cost }: Model): string {
  return cost === undefined ? "" : `$${cost.input} / $${cost.output}`;
}

function jsonRow({ selector, model, whyNot }: ConcreteRow): unknown {
  const { name, api, contextWindow, maxTokens, reasoning, input, cost } = model;
  return {
    selector,
    name,
    api,
    contextWindow,
    maxTokens,
    reasoning,
    input,
    cost,
    available: whyNot === undefined,
    whyNot,
  };
}
