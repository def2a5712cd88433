// `npm run test:peers`: the real codex and claude, driven through the runner table against a fake provider on loopback. They are
// looked for in the folder PEERS_DIR (its node_modules/.bin) and on PATH; nothing is installed, and one that is not there is skipped.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram } from "../../src/loop/runners/find-program.ts";
import { type InteractiveSession, openInteractive } from "../../src/loop/runners/interactive-session.ts";
import { type AgentRun, runAgent } from "../../src/loop/runners/run-agent.ts";
import type { InvokeOptions, Runner } from "../../src/loop/runners/runner.ts";
import { createRunners } from "../../src/loop/runners/runners.ts";
import type { TranscriptAdapter } from "../../src/loop/transcripts/adapter.ts";
import { CLAUDE_ADAPTER } from "../../src/loop/transcripts/claude.ts";
import { CODEX_ADAPTER } from "../../src/loop/transcripts/codex.ts";
import { asObject, asString } from "../../src/protocol/json.ts";
import type { TranscriptEvent } from "../../src/protocol/transcript-events.ts";
import { failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, type PlannedAnswer, startFakeProvider } from "../support/fake-provider.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

const PATIENCE_MS = 60_000;
const PATH = [
  ...(process.env.PEERS_DIR ? [join(process.env.PEERS_DIR, "node_modules/.bin")] : []),
  ...(process.env.PATH ?? "").split(":"),
].join(":");
const runners = createRunners({ ralph: ["ralph"] });

interface PeerSettings {
  environment: Record<string, string>;
  /** Relative to the root of the workspace. */
  files: Record<string, string>;
}

interface Peer {
  name: "codex" | "claude";
  adapter: TranscriptAdapter;
  settings(origin: string, workspace: TempWorkspace): PeerSettings;
  /** Words of its screen when a person has taken over. */
  greets: RegExp;
  /** Makes the file `made.txt` with "made" in it. */
  makesFile(project: string): PlannedAnswer;
  /** Runs a command the agent's own gate has to refuse. */
  oversteps: PlannedAnswer;
  /** What it tells the model then. */
  refusal: RegExp;
}

const PEERS: Peer[] = [
  {
    name: "codex",
    adapter: CODEX_ADAPTER as TranscriptAdapter,
    settings: (origin, { root, project }) => ({
      // It makes no helper programs below the folder for temporary files, and lets its sandbox write there.
      environment: { PEER_KEY: "sk-peer", TMPDIR: join(root, "temporary") },
      files: {
        "temporary/here": "",
        "user/.codex/config.toml": codexSettings(origin, project),
      },
    }),
    greets: /A remarkable answer\./,
    makesFile: () => toolCallAnswer({ name: "exec_command", input: { cmd: "printf made > made.txt" } }),
    oversteps: toolCallAnswer({ name: "exec_command", input: { cmd: "printf made > ../outside.txt" } }),
    refusal: /outside\.txt: Read-only file system/,
  },
  {
    name: "claude",
    adapter: CLAUDE_ADAPTER as TranscriptAdapter,
    settings: (origin, { project }) => ({
      environment: {
        ANTHROPIC_BASE_URL: origin,
        ANTHROPIC_API_KEY: "sk-peer",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_MAX_RETRIES: "0",
      },
      files: {
        "user/.claude.json": JSON.stringify({
          hasCompletedOnboarding: true,
          customApiKeyResponses: { approved: ["sk-peer"], rejected: [] },
          projects: { [project]: { hasTrustDialogAccepted: true } },
        }),
      },
    }),
    greets: /A remarkable answer\./,
    makesFile: (project) =>
      toolCallAnswer({ name: "Write", input: { file_path: join(project, "made.txt"), content: "made" } }),
    oversteps: toolCallAnswer({ name: "Bash", input: { command: "printf made > ../outside.txt", description: "x" } }),
    refusal: /"is_error":true/,
  },
];

function codexSettings(origin: string, project: string): string {
  return `model = "fake"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${origin}/v1"
env_key = "PEER_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[projects."${project}"]
trust_level = "trusted"
`;
}

interface World {
  provider: FakeProvider;
  workspace: TempWorkspace;
  environment: Record<string, string>;
  options: InvokeOptions;
  stop(): void;
}

const worlds: World[] = [];
afterAll(() => {
  for (const { stop } of worlds) stop();
});

async function worldOf(peer: Peer): Promise<World> {
  const provider = await startFakeProvider();
  const workspace = tempWorkspace();
  const { environment, files } = peer.settings(provider.origin, workspace);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace.root, path)), { recursive: true });
    writeFileSync(join(workspace.root, path), text);
  }
  Bun.spawnSync(["git", "init", "-q", workspace.project]);
  const world: World = {
    provider,
    workspace,
    environment: { ...workspace.environment, PATH, ...environment },
    options: {
      prompt: "Make the file made.txt.",
      root: workspace.project,
      isRepository: true,
      effort: "high",
      yolo: false,
      checkCommands: ["npm test"],
      finalMessageFile: join(workspace.root, "final.txt"),
      promptFile: join(workspace.root, "prompt.md"),
    },
    stop() {
      provider.stop();
      workspace.stop();
    },
  };
  worlds.push(world);
  return world;
}

interface Driven {
  run: AgentRun;
  events: TranscriptEvent[];
  metas: Record<string, unknown>[];
}

async function drive(peer: Peer, world: World, options: Partial<InvokeOptions> = {}): Promise<Driven> {
  const { adapter } = peer;
  const invocation = runnerOf(peer).invoke({ ...world.options, ...options });
  let state = adapter.start({ prompt: invocation.stdin });
  const events: TranscriptEvent[] = [];
  const run = await runAgent({
    invocation,
    root: world.options.root,
    environment: world.environment,
    logFile: join(world.workspace.root, "agent.log"),
    deadlineMs: PATIENCE_MS,
    onLines(lines) {
      for (const line of lines) {
        const step = adapter.step(state, line);
        state = step.state;
        events.push(...step.events);
      }
    },
  });
  events.push(...adapter.flush(state).events);
  return { run, events, metas: events.flatMap((event) => (event.type === "meta" ? [event.meta] : [])) };
}

function runnerOf({ name }: Peer): Runner {
  const runner = runners[name];
  if (runner === undefined) throw new Error(`no runner ${name}`);
  return runner;
}

function metaText(metas: Driven["metas"], kind: string, key: string): string | undefined {
  return asString(metas.findLast((meta) => meta.kind === kind)?.[key]);
}

/** Statuses of the tool calls in their order. */
function toolEnds(events: readonly TranscriptEvent[]): string[] {
  return events.flatMap((event) => (event.type === "tool_end" ? [event.tool.status] : []));
}

for (const peer of PEERS) {
  const program = findProgram(peer.name, PATH);
  describe.skipIf(program === undefined)(
    `${peer.name}${program === undefined ? " (not on PATH or in PEERS_DIR)" : ""}`,
    () => {
      test(
        "works in the folder, may edit there, and its transcript is understood",
        async () => {
          const world = await worldOf(peer);
          world.provider.answer(
            peer.makesFile(world.workspace.project),
            textAnswer("Made.\n<promise>COMPLETE</promise>"),
          );
          const { run, events, metas } = await drive(peer, world);
          expect(run.ending).toEqual({ type: "finished" });
          expect(world.workspace.read("project/made.txt")).toBe("made");
          expect(toolEnds(events)).toEqual(["ok"]);
          expect(metaText(metas, "final", "text")).toBe("Made.\n<promise>COMPLETE</promise>");
          expect(metaText(metas, "session", "id")).toMatch(/^[0-9a-f-]{36}$/);
          const usage = events.findLast((event) => event.type === "usage");
          expect(asObject(usage?.usage)?.prompt_tokens).toBeGreaterThan(0);
          const asked = world.provider.requests.find(({ rawBody }) => rawBody.includes("Make the file made.txt."));
          expect(asked).toBeDefined();
        },
        PATIENCE_MS,
      );

      test(
        "is held back by its own gate",
        async () => {
          const world = await worldOf(peer);
          world.provider.answer(peer.oversteps, textAnswer("I could not."));
          const { run, events } = await drive(peer, world);
          expect(run.ending).toEqual({ type: "finished" });
          // Codex does not always print a command its sandbox refused.
          expect(toolEnds(events)).not.toContain("ok");
          expect(world.provider.requests.at(-1)?.rawBody).toMatch(peer.refusal);
          expect(() => readFileSync(join(world.workspace.root, "outside.txt"))).toThrow();
        },
        PATIENCE_MS,
      );

      test(
        "says that its key is refused",
        async () => {
          const world = await worldOf(peer);
          const refuse = failAnswer({ type: "status", status: 401 });
          world.provider.answer(...Array<PlannedAnswer>(40).fill(refuse));
          const { run, metas } = await drive(peer, world);
          expect(run.ending).toMatchObject({ type: "failed", exit: 1 });
          expect(metaText(metas, "failed", "cause")).toBe("credentials");
        },
        PATIENCE_MS,
      );

      test(
        "can be taken over in a terminal, in its own conversation",
        async () => {
          const world = await worldOf(peer);
          world.provider.answer(textAnswer("A remarkable answer."));
          const { metas } = await drive(peer, world);
          const session = metaText(metas, "session", "id");
          const takeOver = runnerOf(peer).takeOver({ ...world.options, ...(session !== undefined && { session }) });
          const opened = await openInteractive({
            argv: takeOver.argv,
            root: world.workspace.project,
            environment: { ...world.environment, ...takeOver.environment },
            size: { columns: 100, rows: 30 },
          });
          if (!opened.ok) throw new Error(opened.message);
          await screenWith(opened.session, peer.greets);
          expect((await opened.session.stop()).survivors).toEqual([]);
        },
        PATIENCE_MS,
      );
    },
  );
}

/** Resolves when the screen shows these words; fails with what it shows instead. */
async function screenWith(session: InteractiveSession, words: RegExp): Promise<void> {
  const late = AbortSignal.timeout(PATIENCE_MS / 2);
  const gaveUp = new Promise<void>((resolve) => late.addEventListener("abort", () => resolve()));
  const over = Promise.race([gaveUp, session.exited.then(() => {})]);
  for (let isOver = false; ; ) {
    const came = Promise.withResolvers<void>();
    const stop = session.onBytes(() => came.resolve());
    const shown = wordsOf(await session.screen());
    if (words.test(shown)) return stop();
    if (isOver) throw new Error(`The screen never showed ${words}, but:\n${shown}`);
    isOver = await Promise.race([came.promise.then(() => false), over.then(() => true)]);
    stop();
  }
}

/** What a person reads; programs write a step of the cursor for a space. */
function wordsOf(screen: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it is about
  return screen.replaceAll(/\x1b\[\d*C/g, " ").replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, "");
}
