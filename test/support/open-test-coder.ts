import { join } from "node:path";
import { compactionChoices } from "../../src/coder/compaction/compaction-settings.ts";
import { type OpenCoder, type OpenCoderOptions, openCoder } from "../../src/coder/open-coder.ts";
import { createStreamModel } from "../../src/llm/stream.ts";
import { clampEffort } from "../../src/llm/thinking.ts";
import { probeSandbox } from "../../src/permissions/sandbox/probe-sandbox.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import type { EntrySeal } from "../../src/protocol/entry-seal.ts";
import type { UserMessage } from "../../src/protocol/messages.ts";
import type { StreamModel } from "../../src/protocol/model-request.ts";
import type { SettingValues } from "../../src/protocol/settings.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import type { Session } from "../../src/sessions/session.ts";
import { waitingIn } from "../../src/sessions/waiting-messages.ts";
import { systemClock } from "../../src/system/clock.ts";
import { noMemo } from "../../src/system/memo.ts";
import { ralphPaths } from "../../src/system/paths.ts";
import type { FakeProvider } from "./fake-provider.ts";
import { modelNamed } from "./model-fixtures.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

// A coder as a face has it, in this process: real tools, a real session file, a provider on loopback.

export interface TestCoder extends OpenCoder {
  session: Session;
  events: AgentEvent[];
  /** The next event of a type that was not yet given out by this function. */
  next<Type extends AgentEvent["type"]>(type: Type): Promise<Extract<AgentEvent, { type: Type }>>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestCoderOptions extends Partial<OpenCoderOptions> {
  workspace: TempWorkspace;
  provider: FakeProvider;
  /** The file of a session to go on with. */
  resume?: string;
  /** How entries stand in the session's file. */
  seal?: EntrySeal;
  /** Stands between the agent and the model. */
  guard?(streamModel: StreamModel, session: Session): StreamModel;
  /** Every ask is answered with yes. */
  yolo?: boolean;
}

export async function openTestCoder(options: TestCoderOptions): Promise<TestCoder> {
  const { workspace, provider, resume, yolo = false, seal, guard = (model) => model, ...own } = options;
  const environment = { RALPH_HOME: workspace.home };
  const places = ralphPaths({ home: workspace.root, environment, platform: process.platform });
  const opened =
    resume === undefined
      ? await createSession({ places, cwd: workspace.project, ...(seal && { seal }) })
      : await openSession(resume, { places, ...(seal && { seal }) });
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const open = (selector: string) => {
    const model = modelNamed(selector, { api: "anthropic-messages", baseUrl: provider.origin, reasoning: true });
    const credential = { type: "key" as const, key: "sk-fake" };
    const streamModel = createStreamModel({
      model,
      credential,
      clock: systemClock,
      random: Math.random,
      userAgent: "test",
    });
    return { model, effort: "low" as const, streamModel: guard(streamModel, session) };
  };
  const coder = await openCoder({
    session,
    known: contextOf(session.entries, session.leafId),
    waiting: waitingIn(session.entries, session.leafId),
    chosen: open("test/one"),
    openModel: async (selector) =>
      selector.startsWith("test/")
        ? { ok: true, ...open(selector) }
        : { ok: false, message: `There is no ${selector}.` },
    fitEffort: clampEffort,
    fork: async () => ({ ok: false, message: "not here" }),
    blobs: places.blobs,
    world: {
      root: workspace.project,
      clock: systemClock,
      environment: workspace.environment,
      artifacts: places.artifacts,
    },
    findRipgrep: async () => undefined,
    gate: {
      home: join(workspace.root, "user"),
      own: { config: places.config, data: places.data },
      rememberedPath: join(places.data, "permissions.json"),
      sources: { settings: {}, allowed: [], allowedCategories: [] },
      yolo,
    },
    sandbox: {
      mode: "auto",
      probe: () => probeSandbox({ platform: process.platform, memo: noMemo }),
      folder: join(places.cache, "sandbox"),
    },
    hasPerson: () => true,
    compaction: compactionChoices({} as SettingValues).settings,
    autoCompaction: true,
    systemPrompt: "You are tested.",
    tail: () => "",
    clock: systemClock,
    stream: true,
    maxTurns: 50,
    ...own,
  });
  return { ...coder, session, ...recorder(coder), [Symbol.asyncDispose]: () => end(coder, session) };
}

export function saying(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

async function end(coder: OpenCoder, session: Session): Promise<void> {
  await coder.close();
  await session.close();
}

function recorder(coder: OpenCoder): Pick<TestCoder, "events" | "next"> {
  const events: AgentEvent[] = [];
  const given = new Set<AgentEvent>();
  const arrived: (() => void)[] = [];
  coder.subscribe((event) => {
    events.push(event);
    for (const wake of arrived.splice(0)) wake();
  });
  const next = async (type: AgentEvent["type"]): Promise<AgentEvent> => {
    for (;;) {
      const found = events.find((event) => event.type === type && !given.has(event));
      if (found !== undefined) {
        given.add(found);
        return found;
      }
      const more = Promise.withResolvers<void>();
      arrived.push(more.resolve);
      await more.promise;
    }
  };
  return { events, next: next as TestCoder["next"] };
}
