import { isAbsolute, relative } from "node:path";
import type { ToolVerdict } from "../agent/run-tools.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import { protectionOfFile } from "./protected-files.ts";

// A careful gate: what only reads inside the workspace runs, everything else needs a yes.

export interface PlainGateOptions {
  /** The workspace, absolute, links resolved. */
  root: string;
  /** Every question is answered with yes. */
  yolo: boolean;
  /** Asks a person; undefined where nobody can be asked. */
  confirm(ask: AskDraft, tool: Tool): Promise<boolean | undefined>;
}

export type Gate = (asks: AskDraft[], tool: Tool) => Promise<ToolVerdict>;

export function createPlainGate({ root, yolo, confirm }: PlainGateOptions): Gate {
  return async (asks, tool) => {
    const [refusal] = asks.flatMap((ask) => refusalsOf(ask, root));
    if (refusal !== undefined) return { type: "deny", reason: `${refusal}, and --yolo does not lift that` };
    for (const ask of asks) {
      if (yolo || isHarmless(ask, root)) continue;
      const answer = await confirm(ask, tool);
      if (answer === undefined) return { type: "deny", reason: nobodyToAsk(ask) };
      if (!answer) return { type: "deny", reason: `the person said no to: ${ask.summary}` };
    }
    return { type: "allow" };
  };
}

function refusalsOf({ category, resources }: AskDraft, root: string): string[] {
  const access = category === "file_write" ? "write" : "read";
  return resources.flatMap((path) => {
    const protection = protectionOfFile(path, { access, root });
    return protection === undefined ? [] : [`${path} is protected: ${protection.reason}`];
  });
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
