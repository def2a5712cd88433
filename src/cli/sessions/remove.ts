import { deleteSession } from "../../sessions/fork.ts";
import { removeUnusedBlobs, type UnusedBlobs } from "../../sessions/unused-blobs.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasPerson } from "../print/answer-in-terminal.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { confirm } from "./confirm.ts";
import { findNamed } from "./find.ts";
import { bytes, counted } from "./wording.ts";

/** `ralph sessions rm ID…`: what cannot be removed is told, and the others go. */
export async function remove(context: RunContext, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) {
    context.note("Say which sessions: ralph sessions rm ID…. See: ralph sessions");
    return EXIT.usage;
  }
  const found = new Map<string, string>();
  let isComplete = true;
  for (const id of new Set(ids)) {
    const session = await findNamed(context, id);
    if (session.ok) found.set(session.path, session.id);
    else context.note(session.message);
    isComplete &&= session.ok;
  }
  if (found.size === 0) return EXIT.usage;
  const refusal = await confirmed(context, [...found.values()]);
  if (refusal !== undefined) return refusal;
  const removed = await removeAll(context, found);
  if (removed > 0) tellBlobs(context, await removeUnusedBlobs({ places: context.paths, now: context.clock.now() }));
  return isComplete && removed === found.size ? EXIT.done : EXIT.failed;
}

/** Undefined where it may go on. */
async function confirmed(context: RunContext, ids: readonly string[]): Promise<number | undefined> {
  if (hasFlag(context, "yes")) return undefined;
  const what = `${counted(ids.length, "session")} (${ids.join(", ")})`;
  if (!hasPerson()) {
    context.note(`Nobody can be asked here. Remove ${what} with --yes.`);
    return EXIT.usage;
  }
  if (await confirm(`Remove ${what} for good?`)) return undefined;
  context.note("Nothing was removed.");
  return EXIT.failed;
}

async function removeAll(context: RunContext, found: ReadonlyMap<string, string>): Promise<number> {
  let removed = 0;
  for (const [path, id] of found) {
    const result = await deleteSession(path, "ralph sessions rm");
    if (result.ok) {
      removed++;
      print(`Removed the session ${id}.\n`);
    } else if (result.reason === "held") {
      context.note(`The session ${id} is in use and was not removed: ${result.message}`);
    } else {
      context.note(`The session ${id} was not removed: ${result.message}`);
    }
  }
  return removed;
}

function tellBlobs({ note }: RunContext, unused: UnusedBlobs): void {
  if (!unused.ok) {
    note(`No blobs were removed, because it is not known which are needed: ${unused.message}`);
    return;
  }
  const { removed, bytes: size, young } = unused;
  if (removed > 0) print(`Removed ${counted(removed, "blob")} no session needs any more (${bytes(size)}).\n`);
  if (young > 0) print(`Kept for a day, for a later rm: ${counted(young, "blob")} no session needs any more.\n`);
}
