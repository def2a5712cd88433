import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import type { LoopEntry } from "../../src/protocol/loop-entries.ts";
import { type KilledLoop, killedLoop } from "../support/killed-loop.ts";
import { TASK } from "../support/loop-world.ts";

// `kill -9` is a normal exit of the loop: run again it goes on where it was. A few loops are killed at the same time.

const AT_ONCE = 4;
const LIMIT_MS = 120_000;

describe("a loop that is killed with -9 goes on as if nothing had been", () => {
  test(
    "after every single entry of its journal",
    async () => {
      const length = (await wholeRun()).length;
      expect(length).toBeGreaterThan(15);
      const points = Array.from({ length }, (_, at) => at + 1);
      expect(await inTurns(points, (point) => killedAfterEntry(point))).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "before and after each git command that changes something",
    async () => {
      expect(await inTurns(GIT_POINTS, (point) => killedAtGit(point))).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "at any other moment",
    async () => {
      const points = Array.from({ length: 8 }, () => Math.round(Math.random() * 1300));
      expect(await inTurns(points, (point) => killedAfterTime(point))).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "again and again, each time a little later",
    async () => {
      using loop = killedLoop();
      let kills = 0;
      while (loop.entries().at(-1)?.type !== "verdict" && kills < 30) {
        const enough = loop.entries().length + ++kills;
        await killWhen(loop, { isTime: () => loop.entries().length >= enough });
      }
      expect([kills > 5, await goOn(loop, `${kills} times`, [])]).toEqual([true, []]);
    },
    LIMIT_MS,
  );
});

/** What all of it is when nobody kills it. */
async function wholeRun(): Promise<LoopEntry[]> {
  using loop = killedLoop();
  await using ralph = loop.start();
  expect((await ralph.exited).code).toBe(0);
  const entries = loop.entries();
  const receipts = entries.flatMap((entry) => (entry.type === "receipt" ? entry.receipt : []));
  expect([loop.problems(), await loop.world.receipts()]).toEqual([[], receipts]);
  return entries;
}

async function killedAfterEntry(count: number): Promise<string[]> {
  using loop = killedLoop();
  const torn = await killWhen(loop, { isTime: () => loop.entries().length >= count });
  return await goOn(loop, `after entry ${count}`, torn);
}

async function killedAfterTime(ms: number): Promise<string[]> {
  using loop = killedLoop();
  let isTime = false;
  const timer = setTimeout(() => {
    isTime = true;
    wake?.();
  }, ms);
  let wake: (() => void) | undefined;
  const torn = await killWhen(loop, {
    isTime: () => isTime,
    onWake: (look) => {
      wake = look;
    },
  });
  clearTimeout(timer);
  return await goOn(loop, `after ${ms} ms`, torn);
}

/** The command, which of its calls, and whether Ralph is killed before it runs or after it. */
interface GitPoint {
  command: string;
  call: number;
  when: "before" | "after";
}

const GIT_POINTS: GitPoint[] = [
  { command: "hash-object", call: 1, when: "after" },
  { command: "unpack-objects", call: 1, when: "before" },
  { command: "unpack-objects", call: 1, when: "after" },
  { command: "unpack-objects", call: 2, when: "after" },
  { command: "commit-tree", call: 1, when: "after" },
  { command: "commit-tree", call: 2, when: "after" },
  { command: "read-tree", call: 1, when: "after" },
  { command: "read-tree", call: 3, when: "after" },
  { command: "update-ref", call: 1, when: "after" },
  { command: "update-ref", call: 2, when: "before" },
  { command: "update-ref", call: 2, when: "after" },
  { command: "update-ref", call: 3, when: "before" },
  { command: "update-ref", call: 3, when: "after" },
  { command: "update-index", call: 1, when: "before" },
  { command: "update-index", call: 1, when: "after" },
  { command: "update-index", call: 4, when: "after" },
];

/** A git first on the PATH that kills whoever called it. */
async function killedAtGit({ command, call, when }: GitPoint): Promise<string[]> {
  using loop = killedLoop();
  const { workspace } = loop.world;
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const counter = `${workspace.root}/calls`;
  const shim = workspace.write(
    "shim/git",
    [
      "#!/bin/sh",
      `case " $* " in *" ${command} "*) echo call >>${counter} ;; *) exec ${real} "$@" ;; esac`,
      `[ "$(wc -l <${counter})" -eq ${call} ] || exec ${real} "$@"`,
      ...(when === "before" ? ["kill -9 $PPID", "exit 1"] : [`${real} "$@"`, "kill -9 $PPID"]),
      "",
    ].join("\n"),
  );
  chmodSync(shim, 0o755);
  const ralph = loop.start({ PATH: `${workspace.root}/shim:${workspace.environment.PATH}` });
  const { signal } = await ralph.exited;
  const never = signal === "SIGKILL" ? [] : ["it was never killed"];
  return await goOn(loop, `${when} ${command} ${call}`, never);
}

interface Killing {
  isTime(): boolean;
  /** Given what looks again, for times that no file tells. */
  onWake?(look: () => void): void;
}

/** Kills a loop at a moment, or lets it end where that does not come. Says when prd.json was not whole meanwhile. */
async function killWhen(loop: KilledLoop, { isTime, onWake }: Killing): Promise<string[]> {
  const torn: string[] = [];
  const ralph = loop.start();
  const look = () => {
    torn.push(...tornTask(loop));
    if (isTime()) ralph.kill("SIGKILL");
  };
  onWake?.(look);
  const stop = loop.onChange(look);
  await ralph.exited;
  stop();
  return torn;
}

function tornTask({ world }: KilledLoop): string[] {
  try {
    world.prd();
    return [];
  } catch (error) {
    return [`${TASK}/prd.json: ${error}`];
  }
}

async function goOn(loop: KilledLoop, point: string, torn: readonly string[]): Promise<string[]> {
  const before = loop.entries();
  const isOver = before.at(-1)?.type === "verdict";
  const exit = isOver ? undefined : await loop.start().exited;
  const after = loop.entries();
  const problems = [
    ...torn,
    ...(exit === undefined || exit.code === 0
      ? []
      : [`exit ${exit.code} ${exit.signal}: ${exit.stderr}${JSON.stringify(after.at(-1)).slice(0, 300)}`]),
    ...(Bun.deepEquals(after.slice(0, before.length), before) ? [] : ["the journal lost entries"]),
    // Killed behind its verdict, a loop is over; what lies around is cleared by the next run.
    ...loop.problems().filter((problem) => !isOver || !problem.startsWith("left behind")),
  ];
  return problems.map((problem) => `killed ${point} (${before.at(-1)?.type}): ${problem}`);
}

/** A few at the same time. */
async function inTurns<Point>(points: readonly Point[], work: (point: Point) => Promise<string[]>): Promise<string[]> {
  const left = [...points];
  const problems: string[] = [];
  const worker = async () => {
    for (let point = left.shift(); point !== undefined; point = left.shift()) problems.push(...(await work(point)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return problems;
}
