import type { SessionEntry } from "../../protocol/session-entries.ts";
import { unstoredAnswer } from "../../sessions/drafts/unstored-answer.ts";
import { ENTRY_ID_LENGTH } from "../../sessions/entries/entry-keys.ts";
import { type ReadSession, readSession } from "../../sessions/read-session.ts";
import { newId } from "../../sessions/session-name.ts";
import { buildTree } from "../../sessions/tree.ts";
import { EXIT } from "../exit-codes.ts";
import { flagText, type RunContext } from "../run-context.ts";
import { findNamed } from "./find.ts";
import { counted } from "./wording.ts";

/** A session with the branch that was chosen with --entry, or the one where work goes on. */
export interface ChosenBranch {
  ok: true;
  session: ReadSession;
  id: string;
  path: string;
  branch: SessionEntry[];
  /** The last entry of every branch, in the order of the file. */
  ends: string[];
  /** The last entry of the chosen one; null where there is none. */
  end: string | null;
}

/** What went wrong is told; `code` is what the process says. */
export async function readBranch(
  context: RunContext,
  verb: string,
  id: string | undefined,
): Promise<ChosenBranch | { ok: false; code: number }> {
  const refuse = (message: string, code: number) => {
    context.note(message);
    return { ok: false as const, code };
  };
  if (id === undefined) return refuse(`Say which session: ralph sessions ${verb} ID. See: ralph sessions`, EXIT.usage);
  const found = await findNamed(context, id);
  if (!found.ok) return refuse(found.message, EXIT.usage);
  const session = await readSession(found.path, context.paths.blobs);
  if (!session.ok) return refuse(session.message, EXIT.failed);
  tellProblems(session, context);
  const tree = buildTree(session.entries);
  const parents = new Set(tree.entries.map((entry) => tree.parentOf(entry.id)));
  const ends = tree.entries.map((entry) => entry.id).filter((entryId) => !parents.has(entryId));
  const wanted = flagText(context, "entry");
  if (wanted !== undefined && tree.get(wanted) === undefined) {
    const some = ends.slice(-SHOWN_ENDS).join(", ");
    return refuse(`The session ${found.id} has no entry ${wanted}. Its branches end in: ${some}.`, EXIT.usage);
  }
  const end = wanted ?? tree.lastId;
  return { ok: true, session, id: found.id, path: found.path, branch: tree.pathTo(end), ends, end };
}

/** With what has arrived of an answer that is not stored: it is being written, or Ralph was killed meanwhile. */
export function withUnstoredAnswer(read: ChosenBranch): ChosenBranch {
  const { session, path, branch, end } = read;
  const last = session.entries.at(-1);
  const back = () => branch.toReversed();
  const message = last === undefined || last.id !== end ? undefined : unstoredAnswer({ path, back })?.message;
  if (last === undefined || message === undefined) return read;
  const entry: SessionEntry = { id: newId(ENTRY_ID_LENGTH), parentId: last.id, at: last.at, type: "message", message };
  const entries = [...session.entries, entry];
  return { ...read, session: { ...session, entries }, branch: [...branch, entry], end: entry.id };
}

const SHOWN_ENDS = 8;
const SHOWN_PROBLEMS = 5;

function tellProblems({ problems }: ReadSession, { note }: RunContext): void {
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) note(problem);
  const more = problems.length - SHOWN_PROBLEMS;
  if (more > 0) note(`${counted(more, "more problem")} of this kind.`);
}
