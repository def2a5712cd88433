import { visible } from "../printable.ts";

// Times, money and texts of others, as all of `ralph sessions` writes them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly [below: number, unit: number, name: string][] = [
  [HOUR, MINUTE, "min"],
  [DAY, HOUR, "h"],
  [14 * DAY, DAY, "d"],
  [60 * DAY, 7 * DAY, "wk"],
  [730 * DAY, 30 * DAY, "mo"],
  [Number.POSITIVE_INFINITY, 365 * DAY, "y"],
];

export function ago(time: number, now: number): string {
  const passed = now - time;
  if (passed < MINUTE) return "now";
  const [, unit, name] = STEPS.find(([below]) => passed < below) ?? [0, DAY, "d"];
  return `${Math.floor(passed / unit)} ${name} ago`;
}

/** Local time, to the minute. */
export function exactly(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "unknown time";
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export function bytes(count: number): string {
  if (count < 1000) return counted(count, "byte");
  return count < 1_000_000 ? `${Math.round(count / 1000)} KB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** What others wrote, on one line of ours. */
export function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, " ").trim());
}
