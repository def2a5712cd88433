import { nearestChoices } from "../../system/nearest.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import { providerWord } from "./login.ts";

/** `ralph logout [PROVIDER]`, and `--logout [PROVIDER]`: forgets a stored key or login. */
export async function logout(context: RunContext): Promise<number> {
  const { credentials, note } = context;
  const named = providerWord(context, "logout");
  if (named.type === "too-many") return refuse(context, named.message, EXIT.usage);
  const problem = credentials.problem();
  if (problem !== undefined) return refuse(context, problem, EXIT.failed);
  const stored = credentials.list().map(({ provider }) => provider);
  if (stored.length === 0) return say("No key and no login is stored, so there is nothing to forget.\n");
  if (named.name === undefined && stored.length > 1)
    return refuse(context, `Name the provider: ralph logout PROVIDER. Stored are: ${stored.join(", ")}.`, EXIT.usage);
  const provider = named.name ?? stored[0] ?? "";
  const removed = await credentials.remove(provider);
  if (!removed.ok) return refuse(context, removed.message, EXIT.failed);
  if (removed.wasThere) return say(`What was stored for ${provider} is forgotten.\n`);
  const [close] = nearestChoices(provider, stored, 1);
  note(
    `Nothing is stored for ${provider}. ${close === undefined ? `Stored are: ${stored.join(", ")}.` : `Did you mean ${close}?`}`,
  );
  return EXIT.done;
}

function say(text: string): number {
  print(text);
  return EXIT.done;
}

function refuse(context: RunContext, message: string, code: number): number {
  context.note(message);
  return code;
}
