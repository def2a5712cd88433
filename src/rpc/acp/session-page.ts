import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { AcpSessionRow } from "./acp-host.ts";

const ROWS_IN_A_PAGE = 100;

/** The sessions behind the cursor, newest first; undefined for a cursor that names none of them. Pure. */
export function sessionPage(
  rows: readonly AcpSessionRow[],
  cursor: string | undefined,
): ListSessionsResponse | undefined {
  const start = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && start === 0) return undefined;
  const page = rows.slice(start, start + ROWS_IN_A_PAGE);
  const last = page.at(-1);
  const isMore = start + page.length < rows.length && last !== undefined;
  return {
    sessions: page.map(({ id, cwd, title, updatedAt }) => ({
      sessionId: id,
      cwd,
      title,
      updatedAt: new Date(updatedAt).toISOString(),
    })),
    ...(isMore ? { nextCursor: last.id } : {}),
  };
}
