import { beforeAll, describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { findNode, findPython, installClient } from "./built-client.ts";
import { runScenario, type ScenarioRun } from "./scenario.ts";

// The clients against a real Ralph: the same steps, the same transcript.

const DRIVERS = join(import.meta.dir, "drivers");
const PACKAGES = resolve(import.meta.dir, "../../clients/python");
const LIMIT_MS = 60_000;
const [node, python] = [findNode(), findPython()];
const temporaryDirectory = temporaryDirectories();

let onBun: ScenarioRun;
let code: string;

beforeAll(async () => {
  code = await installClient(temporaryDirectory());
  onBun = await runScenario([process.execPath, join(DRIVERS, "node-driver.mjs"), code]);
}, LIMIT_MS);

describe("a client", () => {
  test("starts, prompts, streams, approves, runs tools, steers, stops, comes back to a session, and is told of a crash", () => {
    expect(onBun.transcript.map(inShort)).toEqual(IN_SHORT);
    expect({ made: onBun.made, sessions: onBun.sessions }).toEqual({ made: "forty-two", sessions: 2 });
  });

  test.skipIf(node === undefined)(
    "sees on plain Node what it sees on Bun",
    async () => {
      expect(await runScenario([node ?? "", join(DRIVERS, "node-driver.mjs"), code])).toEqual(onBun);
    },
    LIMIT_MS,
  );

  test.skipIf(python === undefined)(
    "sees in Python what it sees in TypeScript",
    async () => {
      expect(await runScenario([python ?? "", join(DRIVERS, "python_driver.py"), PACKAGES])).toEqual(onBun);
    },
    LIMIT_MS,
  );
});

/** What every step must have come to. */
const IN_SHORT = [
  "start",
  "call",
  "call refused: unknown_command",
  "call refused: command_failed",
  "call refused: invalid_fields",
  "set-tools: lookup, hold",
  'prompt done, 1 gates, said "Let me look.Written down."',
  "begin",
  "held",
  "call refused: command_failed",
  "steer",
  "release",
  'end done, 0 gates, said "Steered."',
  "begin",
  "held",
  "abort: 1 cancelled",
  'end interrupted, 0 gates, said ""',
  "call",
  'prompt done, 0 gates, said "Fresh."',
  "call: fresh start / Fresh.",
  "stop",
  "start",
  "call: look it up and write it down / Let me look.|lookup / row 42 / write_file / Created made.txt (1 lines, 9 bytes). / Written down. / hold on / hold / held / rather this / Steered. / hold until you are stopped / hold / Stopped. The host was told to stop too, and the call may have taken effect.",
  "set-tools: lookup, hold",
  'prompt done, 0 gates, said "Still here."',
  "begin",
  "held",
  "kill: 2 cancelled",
  "end: ProcessExited",
  "call: ProcessExited",
];

interface Seen {
  outcome?: { type: string };
  gates?: unknown[];
  text?: string;
  messages?: { text: string }[];
  toolNames?: string[];
  cancelled?: number | boolean;
}

function inShort(entry: ScenarioRun["transcript"][number]): string {
  const {
    step,
    result = {},
    error,
  } = entry as { step: string; result?: Seen; error?: { name: string; code?: string } };
  if (error !== undefined)
    return error.code === undefined ? `${step}: ${error.name}` : `${step} refused: ${error.code}`;
  const { outcome, gates = [], text, messages, toolNames, cancelled } = result;
  if (outcome !== undefined) return `${step} ${outcome.type}, ${gates.length} gates, said "${text}"`;
  if (messages !== undefined) return `${step}: ${messages.map((message) => message.text).join(" / ")}`;
  if (toolNames !== undefined) return `${step}: ${toolNames.join(", ")}`;
  return typeof cancelled === "number" ? `${step}: ${cancelled} cancelled` : step;
}
