import { type ControlConnection, connectControl, type RequestResult } from "../../loop/control/connect-control.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunContext } from "../run-context.ts";
import { type FoundLoop, findLoop } from "./find-loop.ts";

/**
 * A connection to the loop a word names. Where there is none, the reason was told and `code` is the exit code; `isSilent` where
 * nobody serves its socket.
 */
export type Reached =
  | { ok: true; loop: FoundLoop; connection: ControlConnection }
  | { ok: false; code: number; loop?: FoundLoop; isSilent?: boolean };

export interface ReachOptions {
  /** Where no loop runs, the caller tells what that means. */
  quietly?: boolean;
}

export async function reachLoop(
  context: RunContext,
  word: string | undefined,
  { quietly = false }: ReachOptions = {},
): Promise<Reached> {
  const found = await findLoop(context, word);
  if (!found.ok) {
    context.note(found.message);
    return { ok: false, code: EXIT.usage };
  }
  const { loop } = found;
  const connected = await connectControl({ directory: context.paths.sockets, name: loop.name, clock: context.clock });
  if (connected.ok) return { ok: true, loop, connection: connected.connection };
  const isSilent = connected.reason === "no-loop";
  if (!isSilent || !quietly) context.note(`${connected.message} ${whatNow(loop)}`);
  return { ok: false, code: EXIT.failed, loop, isSilent };
}

/** Sends one wish. The result is told where it is a failure. */
export async function sendWish(
  context: RunContext,
  reached: Reached & { ok: true },
  { method, params = {} }: { method: string; params?: Readonly<Record<string, unknown>> },
): Promise<RequestResult> {
  const result = await reached.connection.request(method, params);
  reached.connection.close();
  if (!result.ok) context.note(result.message);
  return result;
}

export function whatNow({ row, name }: FoundLoop): string {
  if (row === undefined || row.status === "running") return "See what there is: ralph status";
  const next =
    row.status === "completed"
      ? `What it did: ralph receipts ${name}`
      : `Go on with it: ralph run ${row.taskDirectory}`;
  return `The last run of ${name} is ${row.status}. ${next}`;
}
