import type { UserMessage } from "../../protocol/messages.ts";
import type { RunContext } from "../run-context.ts";
import { readStandardInput } from "./standard-input.ts";

/** `message` is absent where nothing was asked. */
export type Prompt = { ok: true; message?: UserMessage } | { ok: false; message: string };

/** What was typed, what was piped in, and what the typed text names with @. */
export async function readPrompt(context: RunContext): Promise<Prompt> {
  const typed = context.arguments.words.join(" ").trim();
  const piped = await readStandardInput(context.clock, context.note);
  if (!piped.ok) return piped;
  const attached = await attachmentsIn(typed, context.cwd);
  if (!attached.ok) return attached;
  const text = [typed, ...attached.texts, piped.text.trimEnd()].filter((piece) => piece !== "").join("\n\n");
  if (text === "") return { ok: true };
  return { ok: true, message: { role: "user", content: [{ type: "text", text }, ...attached.images] } };
}

async function attachmentsIn(text: string, cwd: string) {
  if (!text.includes("@")) return { ok: true, images: [], texts: [] } as const;
  const { readAttachments } = await import("./attachments.ts");
  return readAttachments(text, cwd);
}
