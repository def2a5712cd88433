import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { type Field, named, oneOf } from "./input-fields.ts";
import { MODES, type Mode, modeOverlay } from "./modes.ts";
import description from "./switch-mode.md" with { type: "text" };

export interface ModeSwitch {
  current(): Mode;
  /** Decides whether the model may change the mode, and changes it. A message says why not. */
  change(mode: Mode, signal: AbortSignal): Promise<{ ok: true } | { ok: false; message: string }>;
}

export function createSwitchMode(modes: ModeSwitch): Tool {
  return defineTool({
    name: "switch_mode",
    description,
    fields: { mode: named(modeField(), "name") },
    isReadOnly: false,
    asks: () => [],
    run: async ({ mode }, { signal }) => {
      const before = modes.current();
      if (before === mode) return textOutput(`The mode is ${mode} already.`, { mode });
      const changed = await modes.change(mode, signal);
      if (!changed.ok) return failedOutput(changed.message, { mode: before });
      const overlay = modeOverlay(mode);
      return textOutput(`The mode is ${mode} now (was ${before}).${overlay === "" ? "" : `\n${overlay}`}`, { mode });
    },
  });
}

/** Models write "Plan" as well as "plan". */
function modeField(): Field<Mode> {
  const plain = oneOf(MODES, "The mode");
  return { ...plain, parse: (value) => plain.parse(typeof value === "string" ? value.trim().toLowerCase() : value) };
}
