import type { Find, FindKind } from "./vim-motions.ts";

/** Where the keys of vi stand: what was begun, what was deleted or copied last, what was looked for. */
export interface VimState {
  mode: "insert" | "normal";
  /** What was typed of a count. */
  count: string;
  operator: { sign: Operator; count: number | undefined } | undefined;
  /** What the next character completes. */
  awaits: "g" | "r" | "object" | FindKind | undefined;
  register: { text: string; isWholeLines: boolean };
  lastFind: Find | undefined;
}

export type Operator = "d" | "c" | "y";

/** One starts by writing, as everywhere else. */
export const NEW_VIM: VimState = {
  mode: "insert",
  count: "",
  operator: undefined,
  awaits: undefined,
  register: { text: "", isWholeLines: false },
  lastFind: undefined,
};

export function settled(vim: VimState): VimState {
  return { ...vim, count: "", operator: undefined, awaits: undefined };
}

export function isPending({ count, operator, awaits }: VimState): boolean {
  return count !== "" || operator !== undefined || awaits !== undefined;
}

/** As a person reads it beside the status. */
export function vimWords(vim: VimState): string {
  if (vim.mode === "insert") return "INSERT";
  const begun = `${vim.operator?.count ?? ""}${vim.operator?.sign ?? ""}${vim.count}${vim.awaits ?? ""}`;
  return begun === "" ? "NORMAL" : `NORMAL ${begun.replace("object", "i")}`;
}
