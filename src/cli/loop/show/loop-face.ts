import type { TellNews } from "../../../loop/loop-news.ts";
import type { RunRequest } from "../../../loop/run/run-request.ts";
import { descriptorOutput } from "../../output.ts";
import { printable } from "../../printable.ts";
import type { RunContext } from "../../run-context.ts";
import type { RunOptions } from "../run-options.ts";
import { createJsonFace } from "./json-face.ts";
import { createPlainFace } from "./plain-face.ts";
import { ASCII_SIGNS, SIGNS } from "./signs.ts";

export interface LoopFace {
  tell: TellNews;
  close(): Promise<void>;
}

/** How a run is shown: JSON for programs, lines for everybody else. */
export function openLoopFace(_context: RunContext, options: RunOptions, _request: RunRequest): LoopFace {
  const output = descriptorOutput(1, () => undefined);
  const write = (text: string) => output.write(text);
  if (options.isOn("json")) return { tell: createJsonFace(write), close: () => output.drained() };
  const tell = createPlainFace(
    {
      raw: options.isOn("ai-raw"),
      showPrompt: options.isOn("ai-show-prompt"),
      showFinal: options.isOn("ai-show-final"),
      toolMode: options.oneOf("ai-tool-mode", ["summary", "full", "none"]) ?? "summary",
      sysMode: options.oneOf("ai-sys-mode", ["summary", "full"]) ?? "summary",
      signs: options.isOn("ascii") ? ASCII_SIGNS : SIGNS,
    },
    (text) => write(printable(text)),
  );
  return { tell, close: () => output.drained() };
}
