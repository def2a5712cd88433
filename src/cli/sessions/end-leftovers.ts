import type { Session } from "../../sessions/session.ts";
import type { RunContext } from "../run-context.ts";

/**
 * Commands of the model and of the person that were running when the Ralph of this session was killed run on without anybody who
 * watches them. They are ended, and that is told.
 */
export async function endLeftovers(
  { note }: Pick<RunContext, "note">,
  { header }: Pick<Session, "header">,
): Promise<void> {
  const { SESSION_MARK } = await import("../../coder/open-coder.ts");
  const { endMarked } = await import("../../system/end-marked.ts");
  const ended = await endMarked(`${SESSION_MARK}=${header.id}`);
  if (ended.length > 0) note(`What Ralph had left running was ended (process ${ended.join(", ")}).`);
}
