import type { OpenCoderOptions } from "../../coder/open-coder.ts";
import type { AgentOutcome } from "../../protocol/agent-events.ts";
import type { Model } from "../../protocol/models.ts";
import type { RecordingHeader } from "../../protocol/recordings.ts";
import type { Output } from "../output.ts";
import { hasPerson } from "../print/answer-in-terminal.ts";
import type { FaceRun } from "../print/face.ts";
import type { PromptTask } from "../print/prompt-task.ts";
import type { Deck } from "../print/work.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { environmentDigest } from "./environment-digest.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { createRecordingFile } from "./recording-file.ts";

/** A run that is being recorded, as print mode uses it. */
export interface RunRecord extends Pick<Recorder, "stream" | "interrupted"> {
  ok: true;
  deck: Deck;
  output(output: Output): Output;
  /** Milliseconds since 1970, as the header has it. */
  startedAt: number;
  readings: Pick<FaceRun, "now" | "randomId">;
  end(outcome: AgentOutcome): void;
}

export interface RecordOptions {
  path: string;
  task: PromptTask;
  version: string;
  secrets: OpenSecrets | undefined;
}

/** As MAX_RECORDING_BYTES of the protocol, which this file must not load. */
const MAX_BYTES = 1_000_000_000;

export function recordRun(
  context: RunContext,
  { path, task, version, secrets }: RecordOptions,
): RunRecord | { ok: false; message: string } {
  const startedAt = context.clock.now();
  const hide: OpenSecrets["hide"] = (value) => secrets?.hide(value) ?? value;
  const now = () => context.clock.monotonic();
  const header = headerOf(context, { task, version, startedAt });
  const created = createRecordingFile({ path, header, maxBytes: MAX_BYTES, now, hide, note: context.note });
  if (!created.ok) return created;
  const recorder = createRecorder({ file: created.file, now, randomId: () => crypto.randomUUID(), hide });
  const { tape } = recorder;
  return {
    ok: true,
    startedAt,
    stream: recorder.stream,
    output: recorder.output,
    interrupted: recorder.interrupted,
    end: recorder.end,
    readings: recorder.readings,
    deck: {
      adjust: (options) => ({
        ...options,
        tape,
        session: recorder.session(options.session),
        limitReached: () => task.limits.reached({ ...context.clock, monotonic: tape.now }),
        ...recordedModels(options, recorder),
      }),
      pass(event, deliver) {
        recorder.told(event);
        deliver(event);
      },
    },
  };
}

function recordedModels({ openLarger }: OpenCoderOptions, recorder: Recorder): Partial<OpenCoderOptions> {
  if (openLarger === undefined) return {};
  return {
    async openLarger(model) {
      const larger = await openLarger(model);
      if (larger !== undefined) recorder.opened({ ...larger, model: withoutHeaders(larger.model) });
      return larger;
    },
  };
}

interface Beginning {
  task: PromptTask;
  version: string;
  startedAt: number;
}

/** Settings that reach a request or decide when a conversation is shortened or an answer stopped. */
const COUNTS = /^(compaction\.|ttsr\.|cacheRetention$)/;
/** A key is not kept, and where the recording goes says nothing about the run. */
const NOT_KEPT = ["api-key", "record", "print", "debug"];

function headerOf(context: RunContext, { task, version, startedAt }: Beginning): RecordingHeader {
  const { chosen, session, message, more, outputSchema } = task;
  const settings = Object.entries(context.settings.values).filter(([key]) => COUNTS.test(key));
  const flags = [...context.arguments.flags].filter(([name]) => !NOT_KEPT.includes(name));
  return {
    type: "recording",
    version: 1,
    ralph: version,
    at: new Date(startedAt).toISOString(),
    cwd: context.cwd,
    environment: environmentDigest(context.environment),
    model: withoutHeaders(chosen.model),
    effort: chosen.effort,
    message,
    ...(more === undefined ? {} : { more }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    flags: Object.fromEntries(flags),
    settings: Object.fromEntries(settings),
    session: { id: session.header.id, isKept: session.path !== undefined },
    hasPerson: hasPerson(),
    isTerminal: process.stdout.isTTY === true,
  };
}

/** They may hold a key, and no request is made from a recording. */
function withoutHeaders({ headers: _, requestTransform: __, ...model }: Model): Model {
  return model;
}
