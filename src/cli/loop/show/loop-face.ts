import type { TellNews } from "../../../loop/loop-news.ts";
import type { RunRequest } from "../../../loop/run/run-request.ts";
import { readableText } from "../../../loop/transcripts/escape-codes.ts";
import { descriptorOutput } from "../../output.ts";
import { printable } from "../../printable.ts";
import type { RunContext } from "../../run-context.ts";
import type { RunOptions } from "../run-options.ts";
import { createJsonFace } from "./json-face.ts";
import { paintLines } from "./paint-lines.ts";
import { createPlainFace, type PlainOutput } from "./plain-face.ts";
import { ASCII_SIGNS, SIGNS, type Signs } from "./signs.ts";

export interface LoopFace {
  tell: TellNews;
  /** A promise while the reader is far behind; absent where nothing has to be waited for. */
  room?: () => Promise<void> | undefined;
  close(): Promise<void>;
}

const FAR_BEHIND_CHARACTERS = 1024 * 1024;

/** How a run is shown: JSON for programs, a live view in a terminal, lines for everybody else. */
export async function openLoopFace(context: RunContext, options: RunOptions, request: RunRequest): Promise<LoopFace> {
  const { prices, task } = request;
  const output = descriptorOutput(1, () => undefined);
  const close = () => output.drained();
  const room = () => (output.held > FAR_BEHIND_CHARACTERS ? output.drained() : undefined);
  if (options.isOn("json")) return { tell: createJsonFace(output.write), room, close };
  const signs = options.isOn("ascii") ? ASCII_SIGNS : SIGNS;
  const view = {
    raw: options.isOn("ai-raw"),
    showPrompt: options.isOn("ai-show-prompt"),
    showFinal: options.isOn("ai-show-final"),
    toolMode: options.oneOf("ai-tool-mode", ["summary", "full", "none"]) ?? "summary",
    sysMode: options.oneOf("ai-sys-mode", ["summary", "full"]) ?? "summary",
    signs,
    task: task.name,
    prices: prices ?? new Map(),
  };
  if (isRich(context, options)) {
    const { TERM = "", TERM_PROGRAM = "" } = context.environment;
    const { openRichFace } = await import("./rich-face.ts");
    return openRichFace({
      view,
      stories: task.stories,
      clock: context.clock,
      depth: hasColours(context, options) ? "16" : "none",
      isAscii: options.isOn("ascii"),
      terminal: { name: TERM, program: TERM_PROGRAM },
    });
  }
  return {
    tell: createPlainFace(view, plainOutput(output.write, hasColours(context, options) ? signs : undefined)),
    room,
    close,
  };
}

/** A live view needs a terminal that can be drawn in, whatever was asked for. */
function isRich({ environment }: RunContext, options: RunOptions): boolean {
  const kind = options.oneOf("ui", ["auto", "rich", "plain", "gum", "textual"]) ?? "auto";
  return kind !== "plain" && process.stdout.isTTY === true && environment.TERM !== "dumb";
}

/** Nothing an agent prints steers the terminal; colours are Ralph's own. `signs` are painted where given. */
function plainOutput(write: (text: string) => void, signs: Signs | undefined): PlainOutput {
  const clean = (text: string) => printable(text.split("\n").map(withoutEscapes).join("\n"));
  return {
    say: (text) => write(signs === undefined ? clean(text) : paintLines(clean(text), signs)),
    repeat: (text) => write(clean(text)),
  };
}

function withoutEscapes(line: string): string {
  return line.includes("\u001b") ? readableText(line) : line;
}

function hasColours({ environment }: RunContext, options: RunOptions): boolean {
  return process.stdout.isTTY === true && !options.isOn("no-color") && environment.TERM !== "dumb";
}
