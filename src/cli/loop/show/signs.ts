// The signs of the loop's faces. Each means what it says without its colour, and has an ASCII twin.

export interface Signs {
  passed: string;
  open: string;
  failed: string;
  warning: string;
  working: string;
  rule: string;
  dot: string;
}

export const SIGNS: Signs = { passed: "✓", open: "○", failed: "✗", warning: "!", working: "▸", rule: "──", dot: "·" };
export const ASCII_SIGNS: Signs = {
  passed: "+",
  open: "-",
  failed: "x",
  warning: "!",
  working: ">",
  rule: "--",
  dot: "|",
};

export function shownTime(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** One line, cut where it is longer. */
export function cut(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
