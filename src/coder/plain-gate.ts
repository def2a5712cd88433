import { isAbsolute, relative } from "node:path";
import type { ToolVerdict } from "../agent/run-tools.ts";
import type { AskDraft } from "../protocol/tool-runs.ts";
import { isProtectedFile } from "./protected-files.ts";

// A careful gate: what only reads inside the workspace runs, everything else needs a yes.

export interface PlainGateOptions {
  /** The workspace, absolute, links resolved. */
  root: string;
  /** Every question is answered with yes. */
  yolo: boolean;
  /** Asks a person; undefined where nobody can be asked. */
  confirm(ask: AskDraft): Promise<boolean | undefined>;
}

export function createPlainGate({ root, yolo, confirm }: PlainGateOptions): (asks: AskDraft[]) => Promise<ToolVerdict> {
  return async (asks) => {
    const secret = asks.flatMap((ask) => ask.resources).find(isProtectedFile);
    if (secret !== undefined)
      return { type: "deny", reason: `${secret} is protected: it may hold secrets, and --yolo does not lift that` };
    for (const ask of asks) {
      if (yolo || isHarmless(ask, root)) continue;
      const answer = await confirm(ask);
      if (answer === undefined) return { type: "deny", reason: nobodyToAsk(ask) };
      if (!answer) return { type: "deny", reason: `the person said no to: ${ask.summary}` };
    }
    return { type: "allow" };
  };
}

function nobodyToAsk({ summary }: AskDraft): string {
  return `${summary} needs a yes, and nobody can be asked. Start with --yolo to allow it`;
}

/** Resources are resolved paths, so a link cannot make an outside file look like an inside one. */
function isHarmless({ category, resources }: AskDraft, root: string): boolean {
  if (category === "memory") return true;
  return category === "file_read" && resources.every((path) => isInside(root, path));
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith("../"));
}
