import type { Tape } from "../../coder/tape.ts";
import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { Tool, ToolContext, ToolOutput } from "../../protocol/tool-runs.ts";
import type { AppendEntryResult, Session } from "../../sessions/session.ts";
import type { Output } from "../output.ts";
import type { Chosen } from "../print/coder-options.ts";
import type { RecordingFile } from "./recording-file.ts";
import { createRequestReader, digestOf, type RequestParts } from "./request-parts.ts";
import { fromOutside, TOLD_TEXT_LENGTH } from "./told-events.ts";

/** Writes down everything that comes into a run and everything it does, in the order in which it happens. */
export interface Recorder {
  tape: Tape;
  /** For the face. */
  readings: Readings;
  stream(streamModel: StreamModel): StreamModel;
  session(session: Session): Session;
  output(output: Output): Output;
  told(event: AgentEvent): void;
  opened(chosen: Pick<Chosen, "model" | "effort">): void;
  interrupted(): void;
  end(outcome: AgentOutcome): void;
}

export type Readings = Pick<Tape, "now" | "randomId">;

export interface RecorderOptions {
  file: RecordingFile;
  /** Milliseconds from an unknown start. */
  now(): number;
  randomId(): string;
  /** Takes secrets out. */
  hide<Value>(value: Value): Value;
}

export function createRecorder({ file, now, randomId, hide }: RecorderOptions): Recorder {
  const outside = new WeakSet<AgentEvent>();
  const written = createWrittenText(file);
  const readings = (of: "agent" | "face"): Readings => ({
    now() {
      const value = now();
      file.write({ type: "clock", of, value });
      return value;
    },
    randomId() {
      const value = randomId();
      file.write({ type: "id", of, value });
      return value;
    },
  });
  return {
    readings: readings("face"),
    tape: {
      ...readings("agent"),
      tool: (tool) => recordedTool(tool, file),
      async verdict({ id: callId }, decide) {
        const verdict = await decide();
        const isDenied = verdict.type === "deny";
        file.write({ type: "verdict", callId, ...(isDenied ? { deny: verdict.reason } : {}) });
        if (isDenied || verdict.approval === undefined) return verdict;
        const { use, recheck } = verdict.approval;
        const approval = { recheck, use: () => notedReason(file, callId, use()) };
        return { ...verdict, approval };
      },
      outside: (event) => void outside.add(event),
    },
    stream: recordedStreams(file),
    session: (session) => recordedSession(session, file),
    output: (output) => written.through(output),
    told(event) {
      if (event.type !== "message-update") written.flush();
      if (outside.has(event) || fromOutside(event)) return file.write({ type: "event", event });
      if (event.type === "question-end") {
        const { questionId, answers } = event;
        file.write({ type: "answer", questionId, ...(answers && { answers }) });
      }
      const isToken = event.type === "message-update";
      const shown = isToken ? {} : { text: JSON.stringify(hide(event)).slice(0, TOLD_TEXT_LENGTH) };
      file.write({ type: "told", event: event.type, digest: digestOf(JSON.stringify(event)), ...shown });
    },
    opened: ({ model, effort }) => file.write({ type: "opened", model, effort }),
    interrupted: () => file.write({ type: "interrupted" }),
    end(outcome) {
      written.flush();
      file.write({ type: "end", outcome });
      file.close();
    },
  };
}

function notedReason(file: RecordingFile, callId: string, reason: string | undefined): string | undefined {
  if (reason !== undefined) file.write({ type: "stale", callId, reason });
  return reason;
}

function recordedStreams(file: RecordingFile): Recorder["stream"] {
  const read = createRequestReader();
  const seen = new Set<string>();
  let requests = 0;
  return (streamModel) => async (asked, streaming) => {
    const request = ++requests;
    file.write({ type: "request", request, ...explained(read(asked), seen) });
    const end = await streamModel(asked, {
      ...streaming,
      emit(event) {
        file.write({ type: "model", request, event });
        streaming.emit(event);
      },
    });
    file.write({ type: "answered", request });
    return end;
  };
}

/** Every text is written once: a request shares most of its parts with the one before. */
function explained({ digest, parts }: RequestParts, seen: Set<string>) {
  const texts: Record<string, string> = {};
  for (const part of parts) if (!seen.has(part.digest)) texts[part.digest] = part.text;
  for (const part of parts) seen.add(part.digest);
  return { digest, parts: parts.map((part): [string, string] => [part.name, part.digest]), texts };
}

function recordedTool(tool: Tool, file: RecordingFile): Tool {
  return {
    ...tool,
    prepare(input) {
      const prepared = tool.prepare(input);
      if ("message" in prepared) return prepared;
      return { ...prepared, run: (context) => recordedRun(tool, context, { run: prepared.run, file }) };
    },
  };
}

async function recordedRun(
  { name }: Tool,
  context: ToolContext,
  { run, file }: { run(context: ToolContext): Promise<ToolOutput>; file: RecordingFile },
): Promise<ToolOutput> {
  const { id: callId, input } = context.call;
  file.write({ type: "call", callId, name, input });
  const update = (text: string) => {
    file.write({ type: "update", callId, text });
    context.update(text);
  };
  try {
    const output = await run({ ...context, update });
    file.write({ type: "output", callId, output });
    return output;
  } catch (error) {
    file.write({ type: "output", callId, broke: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

function recordedSession(session: Session, file: RecordingFile): Session {
  let appended = 0;
  const append: Session["append"] = (draft, when) => {
    if (FOR_UNDO.includes(draft.type)) return session.append(draft, when);
    const entry = ++appended;
    const stored = session.append(draft, when);
    // Registered before anybody else can wait for it, so that what follows from it is written after it.
    void stored.then((result) => file.write({ type: "stored", entry, ...problemOf(result) }));
    return stored;
  };
  return new Proxy(session, {
    get(target, name) {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Stored by what tools do to files, and nothing is done to files when a run is played back. */
const FOR_UNDO = ["files-before", "files-after", "shell-snapshot", "undo-started", "undo-ended"];

function problemOf(result: AppendEntryResult): { problem?: string } {
  return result.ok ? {} : { problem: result.message };
}

/** What goes to standard output, gathered until something else happens: a token is no line of its own. */
function createWrittenText(file: RecordingFile) {
  let held: string[] = [];
  return {
    flush() {
      if (held.length > 0) file.write({ type: "wrote", text: held.join("") });
      held = [];
    },
    through: (output: Output): Output => ({
      write(text) {
        held.push(text);
        output.write(text);
      },
      drained: output.drained,
      get isClosed() {
        return output.isClosed;
      },
      get held() {
        return output.held;
      },
      get problem() {
        return output.problem;
      },
    }),
  };
}
