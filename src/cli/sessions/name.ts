import { nameSession } from "../../sessions/fork.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import { endLeftovers } from "./end-leftovers.ts";
import { findNamed } from "./find.ts";
import { oneLine } from "./wording.ts";

const LONGEST_NAME = 200;

/** `ralph sessions name ID TEXT` */
export async function name(context: RunContext, [id, ...words]: readonly string[]): Promise<number> {
  const text = words.join(" ").replaceAll(/\s+/g, " ").trim();
  if (id === undefined || text === "" || text.length > LONGEST_NAME) {
    const length = text.length > LONGEST_NAME ? ` with at most ${LONGEST_NAME} characters` : "";
    context.note(`Say which session and its name${length}: ralph sessions name ID "TEXT".`);
    return EXIT.usage;
  }
  const found = await findNamed(context, id);
  if (!found.ok) {
    context.note(found.message);
    return EXIT.usage;
  }
  const { paths: places, clock } = context;
  const named = await nameSession(found.path, text, { places, clock, owner: "ralph sessions name" });
  if (!named.ok) {
    context.note(named.message);
    return EXIT.failed;
  }
  if (named.session.isAfterKill) await endLeftovers(context, named.session);
  print(`The session ${found.id} is now called: ${oneLine(text)}\n`);
  return EXIT.done;
}
