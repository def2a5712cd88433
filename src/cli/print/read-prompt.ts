import type { UserMessage } from "../../protocol/messages.ts";
import { flagText, type RunContext } from "../run-context.ts";
import { readStandardInput } from "./standard-input.ts";

/** `message` is absent where nothing was asked; `more` is asked after it. */
export type Prompt = { ok: true; message?: UserMessage; more?: UserMessage[] } | { ok: false; message: string };

/** What was typed, what was piped in, and what the typed text names with @. */
export async function readPrompt(context: RunContext): Promise<Prompt> {
  const typed = context.arguments.words.join(" ").trim();
  const piped = await readStandardInput(context.clock, context.note);
  if (!piped.ok) return piped;
  const attached = await attachmentsIn(typed, context.cwd);
  if (!attached.ok) return attached;
  const lines = flagText(context, "input-format") === "stream-json" ? piped.text : undefined;
  if (lines !== undefined && typed === "") return promptOfLines(lines);
  const text = [typed, ...attached.texts, piped.text.trimEnd()].filter((piece) => piece !== "").join("\n\n");
  if (text === "") return { ok: true };
  return { ok: true, message: { role: "user", content: [{ type: "text", text }, ...attached.images] } };
}

async function promptOfLines(text: string): Promise<Prompt> {
  const { readStreamJsonInput } = await import("./stream-json-input.ts");
  const read = readStreamJsonInput(text);
  if (!read.ok) return read;
  const [message, ...more] = read.messages;
  return message === undefined ? { ok: true } : { ok: true, message, more };
}

async function attachmentsIn(text: string, cwd: string) {
  if (!text.includes("@")) return { ok: true, images: [], texts: [] } as const;
  const { readAttachments } = await import("./attachments.ts");
  return readAttachments(text, cwd);
}
