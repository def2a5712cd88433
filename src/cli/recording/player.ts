import type { ToolVerdict } from "../../agent/run-tools.ts";
import type { Tape } from "../../coder/tape.ts";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { ModelEnd, ModelEvent } from "../../protocol/model-events.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { RecordingEntry } from "../../protocol/recordings.ts";
import type { Tool, ToolContext, ToolOutput } from "../../protocol/tool-runs.ts";
import type { AppendResult } from "../../system/jsonl.ts";
import type { Came, Divergence } from "./divergence.ts";
import type { Recording } from "./read-recording.ts";
import { type RecordedValues, valuesIn } from "./recorded-values.ts";
import { canonical, createRequestReader, digestOf } from "./request-parts.ts";

export interface PlayerOptions {
  recording: Recording;
  show(event: AgentEvent): void;
  /** The person stopped the run there. */
  interrupt(): void;
  /** Milliseconds after which what has not come is not coming. */
  patienceMs: number;
  /** Play only so many turns. */
  until?: number;
  /** Nothing was given to the agent yet that is not recorded. */
  beforeEnd?(): void;
  /** Requests may differ: nobody compares them. */
  anyRequest?: boolean;
}

export type Ending =
  | { type: "complete" }
  /** The recording ends in the middle of the run. */
  | { type: "cut"; turn: number }
  | { type: "until"; turn: number }
  | { type: "diverged"; divergence: Divergence };

/**
 * Plays a recording into an agent. What came into the recorded run is given to the agent in the recorded order, each piece when
 * everything that happened before it has happened again; what the agent does is compared with what it did then.
 */
export class Player {
  /** What the agent did and the recording has not confirmed yet. */
  readonly #came: Came[] = [];
  /** Whoever waits for something the recording has, by its key. */
  readonly #waiting = new Map<string, (entry: RecordingEntry) => void>();
  readonly #values: RecordedValues;
  readonly #readRequest = createRequestReader();
  #news = Promise.withResolvers<void>();
  #requests = 0;
  #appended = 0;
  #turn = 0;
  #isOver = false;
  #isInterrupted = false;
  #written = "";
  readonly tape: Tape;

  constructor(private readonly options: PlayerOptions) {
    this.#values = valuesIn(options.recording);
    this.tape = {
      ...this.readings("agent"),
      tool: (tool) => this.#tool(tool),
      verdict: (call) => this.#verdict(call.id),
      outside: () => {},
    };
  }

  /** What was read then. */
  readings(of: "agent" | "face"): Pick<Tape, "now" | "randomId"> {
    const { clock, ids } = this.#values[of];
    let last = 0;
    return {
      now() {
        last = clock.shift() ?? last;
        return last;
      },
      randomId: () => ids.shift() ?? crypto.randomUUID(),
    };
  }

  readonly stream: StreamModel = (asked, { emit }) => {
    const request = ++this.#requests;
    let last: ModelEnd | undefined;
    return new Promise((resolve) => {
      this.#await(`request ${request}`, (entry) => {
        if (entry.type === "model") {
          last = isEnd(entry.event) ? entry.event : last;
          emit(entry.event);
        } else resolve(last ?? NOT_RECORDED);
      });
      this.#did({ type: "request", request, ...this.#readRequest(asked) });
    });
  };

  /** For the session of the run: an entry is stored when it was stored. */
  store(): Promise<AppendResult> {
    return new Promise((resolve) => {
      this.#await(`entry ${++this.#appended}`, (entry) => {
        const problem = entry.type === "stored" ? entry.problem : undefined;
        resolve(problem === undefined ? { ok: true } : { ok: false, reason: "failed", message: problem });
      });
    });
  }

  /** Every event of the agent comes here first; it is shown when its moment comes. */
  told(event: AgentEvent): void {
    // The rest is not shown, but whoever waits for the end has to hear of it.
    if (this.#isOver) return event.type === "agent-end" ? this.options.show(event) : undefined;
    const text = JSON.stringify(event);
    this.#did({ type: "told", event, digest: digestOf(text), text });
  }

  wrote(text: string): void {
    this.#written += text;
  }

  /** Nothing that comes now is a part of the recorded run. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the person answered to this question. */
  answersTo(questionId: string): string[] | undefined {
    return this.#values.answers.get(questionId);
  }

  /** The model that took over then. */
  opened(): Extract<RecordingEntry, { type: "opened" }> | undefined {
    return this.#values.opened.shift();
  }

  async play(): Promise<Ending> {
    const { recording } = this.options;
    let ending: Ending | undefined;
    for (let index = 0; index < recording.length && ending === undefined; index++) {
      ending = await this.#take(recording.entry(index), index);
    }
    this.options.beforeEnd?.();
    this.#finish();
    return ending ?? (recording.isComplete ? { type: "complete" } : { type: "cut", turn: this.#turn });
  }

  async #take(entry: RecordingEntry, index: number): Promise<Ending | undefined> {
    const key = keyOf(entry);
    if (key !== undefined) return (await this.#release(key, entry)) ? undefined : this.#diverged(entry, index);
    switch (entry.type) {
      case "request":
      case "call":
      case "told":
        return this.#compare(entry, index);
      case "wrote": {
        const written = this.#written;
        this.#written = "";
        if (written === entry.text) return undefined;
        return this.#diverged(entry, index, { type: "wrote", text: written });
      }
      case "event":
        this.options.show(entry.event);
        return undefined;
      case "interrupted":
        this.#isInterrupted = true;
        this.options.interrupt();
        return settled();
      case "end":
        // Everything was told and compared: something that came beside it is more than was recorded.
        return this.#came[0] === undefined ? undefined : this.#diverged(entry, index, this.#came[0]);
      default:
        return undefined;
    }
  }

  /** Gives the agent what it waits for. False where it does not ask for it. */
  async #release(key: string, entry: RecordingEntry): Promise<boolean> {
    const take = await this.#until(() => this.#waiting.get(key));
    if (take === undefined) return false;
    if (entry.type !== "model" && entry.type !== "update") this.#waiting.delete(key);
    take(entry);
    await settled();
    return true;
  }

  async #compare(entry: Output, index: number): Promise<Ending | undefined> {
    const place = await this.#until(() => {
      const found = this.#came.findIndex((came) => isSame(came, entry, this.options.anyRequest === true));
      if (found >= 0) return { found };
      const other = this.#came.find((came) => isInstead(came, entry));
      return other === undefined ? undefined : { other };
    });
    if (place?.found === undefined) return this.#diverged(entry, index, place?.other ?? this.#came[0]);
    const [came] = this.#came.splice(place.found, 1);
    if (came?.type !== "told") return undefined;
    if (came.event.type === "turn-start") this.#turn = came.event.turn;
    this.options.show(came.event);
    const isLast = came.event.type === "turn-end" && came.event.turn === this.options.until;
    return isLast ? { type: "until", turn: this.#turn } : undefined;
  }

  #diverged(recorded: RecordingEntry, index: number, came?: Came): Ending {
    const line = this.options.recording.lineOf(index);
    return { type: "diverged", divergence: { turn: this.#turn, line, recorded, ...(came && { came }) } };
  }

  #tool(tool: Tool): Tool {
    return {
      ...tool,
      prepare: (input) => {
        const prepared = tool.prepare(input);
        if ("message" in prepared) return prepared;
        const run = INNER_TOOLS.includes(tool.name) ? prepared.run : undefined;
        return { ...prepared, run: (context) => this.#run(tool, context, run) };
      },
    };
  }

  /** `inner` is run because it changes nothing but the agent itself; all others are not. */
  async #run(
    { name }: Tool,
    context: ToolContext,
    inner?: (context: ToolContext) => Promise<ToolOutput>,
  ): Promise<ToolOutput> {
    const { id: callId, input } = context.call;
    this.#did({ type: "call", callId, name, input });
    const made = await inner?.(context);
    const recorded = Promise.withResolvers<ToolOutput>();
    this.#await(`run ${callId}`, (entry) => {
      if (entry.type === "update") context.update(entry.text);
      if (entry.type !== "output") return;
      if (entry.output === undefined) recorded.reject(new Error(entry.broke ?? "nothing was recorded"));
      else recorded.resolve(entry.output as ToolOutput);
    });
    const output = await recorded.promise;
    if (made !== undefined && canonical(made) !== canonical(output))
      this.#did({ type: "output", name, output: made, recorded: output });
    return made ?? output;
  }

  async #verdict(callId: string): Promise<ToolVerdict> {
    const given = Promise.withResolvers<ToolVerdict>();
    this.#await(`verdict ${callId}`, (entry) => {
      const deny = entry.type === "verdict" ? entry.deny : "the recording ends here";
      const stale = this.#values.stale.get(callId)?.shift();
      const approval = { use: () => stale, recheck: () => undefined };
      given.resolve(deny === undefined ? { type: "allow", approval } : { type: "deny", reason: deny });
    });
    return given.promise;
  }

  #await(key: string, take: (entry: RecordingEntry) => void): void {
    if (this.#isOver) return take(OVER);
    this.#waiting.set(key, take);
    this.#news.resolve();
  }

  #did(came: Came): void {
    this.#came.push(came);
    this.#news.resolve();
  }

  /** Undefined where it did not come in time. */
  async #until<Value>(look: () => Value | undefined): Promise<Value | undefined> {
    // A stopped tool has its time to end, which nobody recorded.
    const patience = this.options.patienceMs * (this.#isInterrupted ? 2 : 1);
    for (let found = look(); ; found = look()) {
      if (found !== undefined) return found;
      this.#news = Promise.withResolvers();
      if (!(await within(this.#news.promise, patience))) return undefined;
    }
  }

  /** Whoever still waits gets an end. */
  #finish(): void {
    this.#isOver = true;
    for (const take of this.#waiting.values()) take(OVER);
    this.#waiting.clear();
    const end = this.#came.find((came) => came.type === "told" && came.event.type === "agent-end");
    if (end?.type === "told") this.options.show(end.event);
  }
}

type Output = Extract<RecordingEntry, { type: "request" | "call" | "told" }>;

/** Tools that change nothing but the agent: they are run again, and their result is compared. */
const INNER_TOOLS = ["TodoWrite", "TodoRead", "update_plan", "search_tools", "switch_mode", "ask_user"];

const OVER: RecordingEntry = { type: "output", ms: 0, callId: "", broke: "the recording ends here" };
const NOT_RECORDED: ModelEnd = {
  type: "error",
  error: { kind: "aborted", message: "The recording ends here.", retryable: false },
};

function isEnd(event: ModelEvent): event is ModelEnd {
  return event.type === "done" || event.type === "error";
}

/** Who waits for this entry; undefined where nobody has to. */
function keyOf(entry: RecordingEntry): string | undefined {
  switch (entry.type) {
    case "model":
    case "answered":
      return `request ${entry.request}`;
    case "verdict":
      return `verdict ${entry.callId}`;
    case "update":
    case "output":
      return `run ${entry.callId}`;
    case "stored":
      return `entry ${entry.entry}`;
    default:
      return undefined;
  }
}

function isSame(came: Came, entry: Output, anyRequest: boolean): boolean {
  if (entry.type === "told") return came.type === "told" && came.digest === entry.digest;
  if (entry.type === "request") return came.type === "request" && (anyRequest || came.digest === entry.digest);
  return (
    came.type === "call" &&
    came.callId === entry.callId &&
    came.name === entry.name &&
    canonical(came.input) === canonical(entry.input)
  );
}

/** What came stands where the recorded one should, so that waiting longer is no use. */
function isInstead(came: Came, entry: Output): boolean {
  if (came.type === "output") return true;
  if (entry.type === "request") return came.type === "request";
  if (entry.type === "call") return came.type === "call" && came.callId === entry.callId;
  return came.type === "told" && came.event.type === entry.event && !BESIDE_EACH_OTHER.includes(entry.event);
}

/** Calls that only read run beside each other, and each has these. */
const BESIDE_EACH_OTHER = ["tool-start", "tool-update", "tool-end"];

/** Everything that follows at once has happened. */
async function settled(): Promise<undefined> {
  await new Promise(setImmediate);
}

async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const came = await Promise.race([promise.then(() => true), late.promise]);
  clearTimeout(timer);
  return came;
}
