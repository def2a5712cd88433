import type { UserMessage } from "../../protocol/messages.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import type { PromptLines } from "./prompt-lines.ts";
import { readStandardInput } from "./standard-input.ts";

/** `message` is absent where nothing was asked; `more`, and what comes `later`, is asked after it. */
export type Prompt =
  | { ok: true; message?: UserMessage; more?: UserMessage[]; later?: PromptLines }
  | { ok: false; message: string };

/** What was typed, what was piped in, and what the typed text names with @. */
export async function readPrompt(context: RunContext): Promise<Prompt> {
  const typed = context.arguments.words.join(" ").trim();
  const isLines = flagText(context, "input-format") === "stream-json" && typed === "";
  if (isLines && !hasFlag(context, "record")) return firstOfLines();
  const piped = await readStandardInput(context.clock, context.note);
  if (!piped.ok) return piped;
  const attached = await attachmentsIn(typed, context);
  if (!attached.ok) return attached;
  if (isLines) return promptOfLines(piped.text);
  const text = [typed, ...attached.texts, piped.text.trimEnd()].filter((piece) => piece !== "").join("\n\n");
  if (text === "") return { ok: true };
  return { ok: true, message: { role: "user", content: [{ type: "text", text }, ...attached.images] } };
}

async function firstOfLines(): Promise<Prompt> {
  const { readPromptLines } = await import("./prompt-lines.ts");
  const later = readPromptLines(Bun.stdin.stream() as ReadableStream<Uint8Array>);
  const first = await later.next();
  if (first.type === "problem") return { ok: false, message: first.message };
  return first.type === "end" ? { ok: true } : { ok: true, message: first.message, later };
}

/** A recording begins with everything that will be asked. */
async function promptOfLines(text: string): Promise<Prompt> {
  const { readStreamJsonInput } = await import("./stream-json-input.ts");
  const read = readStreamJsonInput(text);
  if (!read.ok) return read;
  const [message, ...more] = read.messages;
  return message === undefined ? { ok: true } : { ok: true, message, more };
}

async function attachmentsIn(text: string, { cwd, paths }: RunContext) {
  if (!text.includes("@")) return { ok: true, images: [], texts: [] } as const;
  const { readAttachments } = await import("./attachments.ts");
  return readAttachments(text, { cwd, own: paths });
}
