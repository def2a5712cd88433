import type { OpenCoder, OpenCoderOptions } from "../../coder/open-coder.ts";
import type { RecordingHeader } from "../../protocol/recordings.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { memoryEntries } from "../../sessions/entries/memory-entries.ts";
import { newHeader, type Session, SessionWriter } from "../../sessions/session.ts";
import type { Output } from "../output.ts";
import { faceRun } from "../print/answer-prompt.ts";
import type { Chosen } from "../print/coder-options.ts";
import type { FaceRun } from "../print/face.ts";
import { faceName } from "../print/face-choice.ts";
import type { Schema } from "../print/json-schema-places.ts";
import { type RunChoices, runChoices, withSchema } from "../print/run-choices.ts";
import { createRunFace } from "../print/run-face.ts";
import { type Deck, work } from "../print/work.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { type Ending, Player, type PlayerOptions } from "./player.ts";
import type { Recording } from "./read-recording.ts";

export interface PlayOptions extends Pick<PlayerOptions, "until" | "anyRequest"> {
  recording: Recording;
  secrets: OpenSecrets | undefined;
  output: Output;
  note(line: string): void;
}

export interface Played {
  ending: Ending;
  /** What the session had when the recording, or the wanted part of it, was over. */
  entries: readonly SessionEntry[];
}

/** Longer than anything inside Ralph takes on a busy machine. */
const PATIENCE_MS = 5000;

/** Plays a recording into an agent that has no network, no tools and no files. A text says why that cannot be done. */
export async function playRun(context: RunContext, options: PlayOptions): Promise<Played | string> {
  const { recording, secrets, output, note, until, anyRequest } = options;
  const { header } = recording;
  const choices = await choicesOf(context, header);
  if (typeof choices === "string") return choices;
  const interrupt = new AbortController();
  let entries: readonly SessionEntry[] = [];
  let deliver: PlayerOptions["show"] = () => {};
  const player = new Player({
    recording,
    patienceMs: PATIENCE_MS,
    show: (event) => deliver(event),
    interrupt: () => interrupt.abort(),
    beforeEnd: () => {
      entries = [...session.entries];
    },
    ...(until === undefined ? {} : { until }),
    ...(anyRequest === undefined ? {} : { anyRequest }),
  });
  const session = playedSession(context, header, player);
  const face = await createRunFace({
    name: faceName(context),
    face: {
      output: watched(output, player),
      note: (line) => player.isOver || note(line),
      isTerminal: () => header.isTerminal,
      run: runOf(context, header, player),
    },
    schema: choices.outputSchema,
    more: header.more,
    veil: secrets?.veil,
  });
  const deck = playingDeck({ header, player, limits: choices.limits }, (show) => {
    deliver = show;
  });
  const stream = secrets?.guard(player.stream, header.session.id) ?? player.stream;
  const running = work(context, {
    ...choices,
    chosen: chosenOf(header),
    message: header.message,
    session,
    known: {},
    waiting: [],
    openStream: () => stream,
    signal: interrupt.signal,
    face,
    printed: async () => {},
    deck,
  });
  const ending = await player.play();
  interrupt.abort();
  await running;
  await output.drained();
  return { ending, entries };
}

/** Ralph's words and the project's are read as they are now: that they changed is what a replay finds out. */
async function choicesOf(context: RunContext, header: RecordingHeader): Promise<RunChoices | string> {
  const { "output-schema": _, ...flags } = header.flags;
  const then: RunContext = {
    ...context,
    arguments: { ...context.arguments, flags: new Map(Object.entries(flags)) },
    clock: { ...context.clock, now: () => Date.parse(header.at) },
  };
  const choices = await runChoices(then, undefined);
  if (typeof choices === "string") return choices;
  const { base, dynamic } = choices.system;
  const moved = { ...choices, system: { base, dynamic: dynamic.replaceAll(context.cwd, () => header.cwd) } };
  return header.outputSchema === undefined ? moved : withSchema(moved, header.outputSchema as Schema);
}

/** In memory, and stored entry by entry when the recorded one was. */
function playedSession(context: RunContext, { session, cwd, at }: RecordingHeader, player: Player): Session {
  return new SessionWriter({
    header: { ...newHeader({ cwd }), id: session.id, at },
    entries: memoryEntries(),
    interrupted: [],
    begunCalls: [],
    isAfterKill: false,
    path: session.isKept ? "(a session that is played back)" : undefined,
    clock: context.clock,
    store: () => player.store(),
    release: async () => {},
  });
}

function chosenOf({ model, effort }: RecordingHeader): Chosen {
  return { ok: true, model, effort, credential: { type: "none" }, origin: { type: "command-line" }, notes: [] };
}

function runOf(context: RunContext, header: RecordingHeader, player: Player): FaceRun {
  const { now, randomId } = player.readings("face");
  const { permissionMode } = faceRun(context, header.ralph);
  return { cwd: header.cwd, version: header.ralph, permissionMode, now, randomId, startedAt: Date.parse(header.at) };
}

function watched(output: Output, player: Player): Output {
  return {
    ...output,
    write(text) {
      if (player.isOver) return;
      player.wrote(text);
      output.write(text);
    },
  };
}

interface Playing {
  header: RecordingHeader;
  player: Player;
  limits: RunChoices["limits"];
}

function playingDeck({ header, player, limits }: Playing, show: (deliver: PlayerOptions["show"]) => void): Deck {
  return {
    adjust: (options): OpenCoderOptions => ({
      ...options,
      tape: player.tape,
      limitReached: () => limits.reached({ ...options.clock, monotonic: player.tape.now }),
      hasPerson: () => header.hasPerson,
      openModel: async () => ({ ok: false, message: "The model of a recording cannot be changed." }),
      openLarger: async () => larger(player, options),
      findRipgrep: async () => undefined,
      sandbox: { mode: "off", folder: "", probe: async () => ({ type: "none", reason: "" }) },
    }),
    pass(event, deliver) {
      show(deliver);
      player.told(event);
    },
    answering: (coder: OpenCoder) =>
      coder.subscribe((event) => {
        if (event.type !== "question-start") return;
        const answers = player.answersTo(event.questionId);
        void coder.call("answer_question", { questionId: event.questionId, ...(answers && { answers }) });
      }),
  };
}

async function larger(player: Player, { chosen }: OpenCoderOptions) {
  const opened = player.opened();
  return opened === undefined ? undefined : { ...chosen, model: opened.model, effort: opened.effort };
}
