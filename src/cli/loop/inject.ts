import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { readStandardInput } from "../print/standard-input.ts";
import type { RunContext } from "../run-context.ts";
import type { FoundLoop } from "./find-loop.ts";
import { reachLoop, sendWish } from "./send-wish.ts";

/** `ralph inject TASK TEXT…`: instructions for the next agent, from the arguments or standard input. */
export async function inject(context: RunContext): Promise<number> {
  const [word, ...words] = context.arguments.words;
  const typed = words.join(" ").trim();
  const piped = typed === "" ? await readStandardInput(context.clock, context.note) : { ok: true as const, text: "" };
  if (!piped.ok) return refuse(context, piped.message);
  const prompt = typed || piped.text.trim();
  if (word !== undefined && prompt === "")
    return refuse(context, `Say what the agent should be told: ralph inject ${word} TEXT, or pipe it in.`);
  const reached = await reachLoop(context, word, { quietly: true });
  if (!reached.ok) return reached.loop && reached.isSilent ? later(context, reached.loop, prompt) : reached.code;
  const result = await sendWish(context, reached, { method: "inject_prompt", params: { prompt } });
  if (result.ok) print(`The next agent of ${reached.loop.name} is told first: ${prompt}\n`);
  return result.ok ? EXIT.done : EXIT.failed;
}

async function later(context: RunContext, loop: FoundLoop, prompt: string): Promise<number> {
  const { injectLater } = await import("./inject-later.ts");
  return injectLater(context, loop, prompt);
}

function refuse(context: RunContext, message: string): number {
  context.note(message);
  return EXIT.usage;
}
