import { type SessionMatch, searchSessions } from "../../sessions/search-sessions.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { printableJson } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { columnsOf, cut } from "./columns.ts";
import { jsonOf, surveyed, titleOf } from "./list.ts";
import { shortIds } from "./short-ids.ts";
import { ago, oneLine } from "./wording.ts";

const MOST_MATCHES = 50;

/** `ralph sessions search WORDS`: every word, or every quoted group of words, has to be there. */
export async function search(context: RunContext, words: readonly string[]): Promise<number> {
  if (words.every((word) => word.trim() === "")) {
    context.note("Say what to search for: ralph sessions search WORDS.");
    return EXIT.usage;
  }
  const { sessions } = await surveyed(context);
  const found = await searchSessions(words, { places: context.paths, sessions, limit: MOST_MATCHES + 1 });
  const matches = found.slice(0, MOST_MATCHES);
  if (hasFlag(context, "json")) {
    for (const { session, entryId, excerpt } of matches)
      if (!print(printableJson({ ...jsonOf(session), entryId, excerpt }))) break;
  } else {
    const ids = shortIds(sessions.map(({ id }) => id));
    for (const match of matches) if (!print(describe(match, ids.get(match.session.id), context))) break;
    if (matches.length === 0) print(nothing(context));
  }
  if (found.length > matches.length)
    context.note(`These are the newest ${MOST_MATCHES} sessions. Say more words to find others.`);
  return matches.length === 0 ? EXIT.failed : EXIT.done;
}

function describe({ session, excerpt }: SessionMatch, shortId = session.id, context: RunContext): string {
  const width = columnsOf(context.environment);
  const start = `${shortId}  ${ago(session.updatedAt, context.clock.now())}  `;
  return `${[
    cut(`${start}${titleOf(session)}`, width),
    `  ${cut(oneLine(excerpt), width - 2)}`,
    `  ralph -r ${shortId}`,
  ].join("\n")}\n`;
}

function nothing(context: RunContext): string {
  const where = hasFlag(context, "all") ? "no session" : "no session of this folder";
  return `It was said in ${where}.${hasFlag(context, "all") ? "" : " Search in all folders: --all"}\n`;
}
