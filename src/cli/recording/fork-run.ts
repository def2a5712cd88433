import type { UserMessage } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { createSession } from "../../sessions/journal.ts";
import type { EntryDraft } from "../../sessions/session.ts";
import { ask } from "../commands/ask.ts";
import { EXIT } from "../exit-codes.ts";
import { flagText, type RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { describeDivergence } from "./divergence.ts";
import { forkFlags } from "./fork-flags.ts";
import { playRun } from "./play-run.ts";
import type { Recording } from "./read-recording.ts";
import { SILENCE } from "./silence.ts";
import { thenContext } from "./then-context.ts";

export interface ForkOptions {
  recording: Recording;
  secrets: OpenSecrets | undefined;
  version: string;
  /** The turn after which it is another run; from the beginning where absent. */
  until?: number;
}

/** Goes on from a place in a recorded run as a new session, with the real model, the real tools and the files as they are now. */
export async function forkRun(context: RunContext, options: ForkOptions): Promise<number> {
  const { recording, version, until } = options;
  const { header } = recording;
  const { flags, left } = forkFlags(header.flags, context.arguments.flags);
  if (left.length > 0) context.note(notTaken(left));
  flags.set("print", true);
  flags.set("model", flagText(context, "model") ?? `${header.model.provider}/${header.model.id}`);
  const message = promptOf(context, header.message, until !== undefined);
  if (until !== undefined) {
    const id = await sessionUntil(context, options);
    if (typeof id === "number") return id;
    flags.delete("no-session");
    flags.set("resume", id);
  }
  return ask({ ...context, arguments: { words: [], flags } }, version, message);
}

function notTaken(left: readonly string[]): string {
  const names = left.map((name) => `--${name}`).join(", ");
  return `The recorded run had ${names}. A recording allows a live run nothing: give it again where you mean it.`;
}

/** Without another prompt the model is just told to go on, because something has to be said to it. */
function promptOf(context: RunContext, recorded: UserMessage, isOnTheWay: boolean): UserMessage {
  const text = flagText(context, "prompt") ?? (isOnTheWay ? "Go on." : undefined);
  return text === undefined ? recorded : { role: "user", content: [{ type: "text", text }] };
}

/** A session with everything up to that turn; its id, or the exit code where there is none. */
async function sessionUntil(context: RunContext, { recording, secrets, until }: ForkOptions): Promise<string | number> {
  const then = thenContext(context, recording.header);
  const played = await playRun(then, {
    recording,
    secrets,
    output: SILENCE,
    note: () => {},
    anyRequest: true,
    ...(until === undefined ? {} : { until }),
  });
  if (typeof played === "string") return refuse(context, played);
  const { ending, entries } = played;
  if (ending.type === "diverged")
    return refuse(
      context,
      describeDivergence(ending.divergence, () => undefined),
    );
  if (ending.type !== "until") return refuse(context, `The recording has no turn ${until} that ended.`);
  const { paths: places, cwd, clock } = context;
  const seal = secrets?.seal;
  const created = await createSession({
    places,
    cwd,
    clock,
    parentSession: recording.header.session.id,
    ...(seal && { seal }),
  });
  if (!created.ok) return refuse(context, created.message);
  const { session } = created;
  const stored = await Promise.all(entries.map((entry) => session.append(draftOf(entry))));
  await session.close();
  const failed = stored.find((result) => !result.ok);
  return failed?.ok === false ? refuse(context, failed.message) : session.header.id;
}

function draftOf({ id: _, parentId: __, at: ___, ...draft }: SessionEntry): EntryDraft {
  return draft as EntryDraft;
}

function refuse(context: RunContext, message: string): number {
  for (const line of message.split("\n")) context.note(line);
  return EXIT.failed;
}
