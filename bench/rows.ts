import { cpus } from "node:os";
import type { Pair } from "./measure.ts";

export interface Row {
  measure: string;
  unit: "ms" | "MB" | "tokens";
  /** Without a floor program there is only what Ralph needs. */
  pair: Partial<Pair> & Pick<Pair, "ralph">;
  /** The largest ratio that is good. */
  reach?: number;
  /** The largest value that is good. */
  most?: number;
}

export function tableOf(rows: Row[]): string {
  return ["| measure | floor | ralph | ratio | reach |", "|---|---|---|---|---|", ...rows.map(lineOf)].join("\n");
}

function lineOf({ measure, unit, pair: { floor, ralph }, reach, most }: Row): string {
  const ratio = floor === undefined ? undefined : ralph / floor;
  const verdicts = [
    ...(reach === undefined || ratio === undefined ? [] : [verdict(ratio <= reach, `≤ ${reach}`)]),
    ...(most === undefined ? [] : [verdict(ralph <= most, `≤ ${most.toLocaleString("en")} ${unit}`)]),
  ];
  const cells = [
    measure,
    floor === undefined ? "" : shown(floor, unit),
    shown(ralph, unit),
    ratio?.toFixed(2) ?? "",
    verdicts.join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

function shown(value: number, unit: Row["unit"]): string {
  return unit === "tokens" ? `${Math.round(value).toLocaleString("en")} tokens` : `${value.toFixed(1)} ${unit}`;
}

function verdict(isGood: boolean, bound: string): string {
  return `${isGood ? "reached" : "**missed**"} (${bound})`;
}

export function pageOf(table: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Bun ${Bun.version}, ${new Date().toISOString().slice(0, 10)}`;
  return `# Benchmarks\n\nOne run of \`npm run bench -- --save\`. Every row compares the compiled Ralph with a floor program measured in the same run\n(middle of several runs, interleaved); compare ratios, not times. The floors are the programs in \`bench/floor/\` and \`rg\` itself.\n\nMachine: ${machine}.\n\n${table}\n`;
}
