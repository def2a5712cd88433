import { type SessionSurvey, surveySessions } from "../../sessions/session-list.ts";
import type { SessionSummary } from "../../sessions/session-summary.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { printableJson } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { aligned, columnsOf, cut, cutStart, packed } from "./columns.ts";
import { shortIds } from "./short-ids.ts";
import { ago, counted, dollars, exactly, oneLine } from "./wording.ts";

/** `ralph sessions [list]`: newest first. */
export async function list(context: RunContext): Promise<number> {
  const { sessions } = await surveyed(context);
  if (hasFlag(context, "json")) {
    for (const session of sessions) if (!print(printableJson(jsonOf(session)))) break;
    return EXIT.done;
  }
  print(sessions.length === 0 ? nothing(context) : table(sessions, context));
  return EXIT.done;
}

/** The sessions of this folder or of all, as the flags say. What could not be read is told. */
export async function surveyed(context: RunContext): Promise<SessionSurvey> {
  const { paths: places, cwd, note } = context;
  const survey = await surveySessions(hasFlag(context, "all") ? { places } : { places, cwd });
  for (const problem of survey.problems.slice(0, SHOWN_PROBLEMS)) note(problem);
  const more = survey.problems.length - SHOWN_PROBLEMS;
  if (more > 0) note(`${counted(more, "more file")} could not be read.`);
  return survey;
}

const SHOWN_PROBLEMS = 5;

export function jsonOf({ updatedAt, ...session }: SessionSummary): Record<string, unknown> {
  return { ...session, updatedAt: new Date(updatedAt).toISOString() };
}

export function titleOf({ name, preview }: SessionSummary): string {
  return oneLine(name === undefined || name.trim() === "" ? preview : name) || "(nothing to show)";
}

export function nothing(context: RunContext): string {
  if (hasFlag(context, "all")) return 'There are no sessions yet. Start one: ralph -p "PROMPT"\n';
  return 'There are no sessions of this folder yet. Start one: ralph -p "PROMPT"\nThose of all folders: ralph sessions --all\n';
}

/** With less room for the title it gets a line of its own. */
const TITLE_COLUMNS = 26;
const FEWEST_FOLDER_COLUMNS = 12;
/** The columns of messages and cost. */
const RIGHT = new Set([3, 4]);

function table(sessions: readonly SessionSummary[], context: RunContext): string {
  const width = columnsOf(context.environment);
  const ids = shortIds(sessions.map(({ id }) => id));
  const now = context.clock.now();
  const cells = aligned(
    sessions.map((session) => [
      ids.get(session.id) ?? session.id,
      ago(session.updatedAt, now),
      exactly(session.updatedAt),
      `${session.messageCount} msg`,
      session.cost === undefined ? "" : dollars(session.cost),
    ]),
    RIGHT,
  );
  const isWithFolder = hasFlag(context, "all");
  return sessions
    .map((session, index) => {
      const row = cells[index] ?? [];
      return isWithFolder ? folderEntry(session, row, width) : entry(session, row, width);
    })
    .join("");
}

function entry(session: SessionSummary, row: string[], width: number): string {
  const start = row.join("  ");
  const room = width - Bun.stringWidth(start) - 2;
  if (room >= TITLE_COLUMNS) return `${start}  ${cut(titleOf(session), room)}\n`;
  return stacked(session, row, width);
}

function folderEntry(session: SessionSummary, row: string[], width: number): string {
  const room = width - Bun.stringWidth(row.join("  ")) - 2;
  const folder = cutStart(oneLine(session.cwd) || "(unknown folder)", room >= FEWEST_FOLDER_COLUMNS ? room : width - 2);
  return stacked(session, [...row, folder], width);
}

function stacked(session: SessionSummary, row: readonly string[], width: number): string {
  const lines = packed(row, width);
  return `${[...lines, `  ${cut(titleOf(session), width - 2)}`].join("\n")}\n`;
}
