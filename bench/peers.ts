// `npm run bench:peers` measures other agents beside Ralph in the same run: wall time of `--version`, and time, memory and bytes
// until the first request with the prompt reaches a model on loopback. Agents are looked for on PATH; one that is not there is
// left out. Nothing is installed and nothing leaves the machine.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

interface Peer {
  name: string;
  program: string;
  /** How it is told to ask the model at `url` once. */
  ask(url: string): { args: string[]; environment: Record<string, string>; files?: Record<string, string> };
}

const PROMPT = "say hello to the benchmark";
const RUNS = 7;
const PATIENCE_MS = 30_000;
const RALPH = resolve(import.meta.dir, "../dist/ralph");

const PEERS: Peer[] = [
  {
    name: "ralph",
    program: RALPH,
    ask: (url) => ({
      args: ["-p", "--model", "anthropic/claude-sonnet-4-6", PROMPT],
      environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-bench" },
    }),
  },
  {
    name: "claude",
    program: "claude",
    ask: (url) => ({
      args: ["-p", PROMPT],
      environment: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "sk-bench",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        IS_SANDBOX: "1",
      },
    }),
  },
  {
    name: "codex",
    program: "codex",
    ask: (url) => ({
      args: ["exec", "--skip-git-repo-check", PROMPT],
      environment: { BENCH_KEY: "sk-bench" },
      files: {
        ".codex/config.toml": `model = "bench"\nmodel_provider = "bench"\n[model_providers.bench]\nname = "bench"\nbase_url = "${url}/v1"\nenv_key = "BENCH_KEY"\nwire_api = "responses"\n`,
      },
    }),
  },
  {
    name: "opencode",
    program: "opencode",
    ask: (url) => ({
      args: ["run", "-m", "anthropic/claude-sonnet-4-6", PROMPT],
      environment: { ANTHROPIC_API_KEY: "sk-bench", OPENCODE_DISABLE_AUTOUPDATE: "1" },
      files: {
        ".config/opencode/opencode.json": JSON.stringify({
          provider: { anthropic: { options: { baseURL: `${url}/v1` } } },
        }),
      },
    }),
  },
  {
    name: "pi",
    program: "pi",
    ask: (url) => ({
      args: ["-p", "--provider", "bench", "--model", "bench", PROMPT],
      environment: { BENCH_KEY: "sk-bench" },
      files: {
        ".pi/agent/models.json": JSON.stringify({
          providers: {
            bench: {
              baseUrl: url,
              api: "anthropic-messages",
              apiKey: "BENCH_KEY",
              models: [
                {
                  id: "bench",
                  name: "bench",
                  reasoning: false,
                  input: ["text"],
                  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                  contextWindow: 200000,
                  maxTokens: 8192,
                },
              ],
            },
          },
        }),
      },
    }),
  },
];

interface Arrival {
  ms: number;
  megabytes: number;
  bytes: number;
}

const rows = [];
for (const peer of PEERS) {
  const program = Bun.which(peer.program) ?? undefined;
  if (program === undefined) continue;
  const versions: number[] = [];
  const arrivals: Arrival[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const version = timeVersion(program);
    const arrival = await timeFirstRequest(peer, program);
    if (run === 0) continue; // the first pair warms the disk cache
    versions.push(version);
    if (arrival !== undefined) arrivals.push(arrival);
  }
  rows.push(row(peer.name, versions, arrivals));
}
console.log(
  [
    "| agent | `--version` | to first request | memory by then | first request |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n"),
);

function row(name: string, versions: number[], arrivals: Arrival[]): string {
  const middle = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const shown = (value: number | undefined, unit: string) =>
    value === undefined ? "–" : `${value.toFixed(0)} ${unit}`;
  const of = (key: keyof Arrival) => middle(arrivals.map((arrival) => arrival[key]));
  return `| ${name} | ${shown(middle(versions), "ms")} | ${shown(of("ms"), "ms")} | ${shown(of("megabytes"), "MB")} | ${shown(of("bytes"), "bytes")} |`;
}

function timeVersion(program: string): number {
  const started = performance.now();
  Bun.spawnSync([program, "--version"], { stdio: ["ignore", "ignore", "ignore"] });
  return performance.now() - started;
}

async function timeFirstRequest(peer: Peer, program: string): Promise<Arrival | undefined> {
  const home = mkdtempSync(join(tmpdir(), "ralph-peers-"));
  const arrived = Promise.withResolvers<{ at: number; bytes: number }>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const at = performance.now();
      const body = await request.text();
      if (body.includes(PROMPT)) arrived.resolve({ at, bytes: body.length });
      return new Response("{}", { status: 500 });
    },
  });
  const { args, environment, files = {} } = peer.ask(`http://127.0.0.1:${server.port}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const started = performance.now();
  const child = Bun.spawn([program, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH ?? "", HOME: home, RALPH_HOME: join(home, "ralph"), TERM: "dumb", ...environment },
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  const first = await Promise.race([arrived.promise, Bun.sleep(PATIENCE_MS)]);
  const megabytes = residentMegabytes(child.pid);
  kill(child.pid);
  await child.exited;
  await server.stop(true);
  rmSync(home, { recursive: true, force: true });
  return first === undefined ? undefined : { ms: first.at - started, megabytes, bytes: first.bytes };
}

/** The process and its children, since some agents are a launcher and a program. */
function residentMegabytes(pid: number): number {
  const listed = Bun.spawnSync(["ps", "-eo", "pid=,pgid=,rss="]).stdout.toString();
  const own = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return own.filter(([, group]) => group === pid).reduce((sum, [, , rss = 0]) => sum + rss * 1024, 0) / 1e6;
}

function kill(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}
