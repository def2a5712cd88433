import { ralphCommand } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// What every client has to be able to do, written once: the steps are data, `drivers/` has one program per language that takes them
// with its client against a real Ralph and prints what it saw.

export type Step =
  /** Starts Ralph; `session` is a name something was remembered under. */
  | { step: "start"; session?: string }
  /** `remember` keeps the id of the session under a name. */
  | { step: "call"; command: string; params?: object; remember?: string }
  | { step: "set-tools" }
  | { step: "prompt"; message: string }
  /** Asks without waiting for the end; `end` does. */
  | { step: "begin"; message: string }
  | { step: "end" }
  /** Waits until the model has called the tool `hold`, which answers when it is released. */
  | { step: "held" }
  | { step: "release"; result: string }
  | { step: "steer"; message: string }
  | { step: "abort" }
  | { step: "stop" }
  | { step: "kill" };

export const STEPS: readonly Step[] = [
  { step: "start" },
  { step: "call", command: "get_state", remember: "first" },
  { step: "call", command: "fly", params: { high: true } },
  { step: "call", command: "set_session_name", params: { name: "  " } },
  { step: "call", command: "set_thinking_level", params: { level: "nonsense" } },
  { step: "set-tools" },
  { step: "prompt", message: "look it up and write it down" },
  { step: "begin", message: "hold on" },
  { step: "held" },
  { step: "call", command: "prompt", params: { message: "more" } },
  { step: "steer", message: "rather this" },
  { step: "release", result: "held" },
  { step: "end" },
  { step: "begin", message: "hold until you are stopped" },
  { step: "held" },
  { step: "abort" },
  { step: "end" },
  { step: "call", command: "new_session" },
  { step: "prompt", message: "fresh start" },
  { step: "call", command: "get_messages" },
  { step: "stop" },
  { step: "start", session: "first" },
  { step: "call", command: "get_messages" },
  { step: "set-tools" },
  { step: "prompt", message: "go on" },
  { step: "begin", message: "hold until you crash" },
  { step: "held" },
  { step: "kill" },
  { step: "end" },
  { step: "call", command: "get_state" },
];

const SCRIPT = `
version: 1
conversations:
  - opens: look it up
    turns:
      - steps: [{ text: ["Let me ", "look."] }, { tool: { name: lookup, input: { key: "42" } } }]
      - steps: [{ tool: { name: write_file, input: { path: made.txt, content: "forty-two" } } }]
      - steps: [{ text: ["Written ", "down."] }]
      - steps: [{ tool: { name: hold, input: {} } }]
      - steps: [{ text: "Steered." }]
      - steps: [{ tool: { name: hold, input: {} } }]
      - steps: [{ text: "Still here." }]
      - steps: [{ tool: { name: hold, input: {} } }]
  - opens: fresh
    turns: [{ steps: [{ text: "Fresh." }] }]
turns: []
`;

const OBJECT = { type: "object", additionalProperties: false };

export const TOOLS = [
  {
    name: "lookup",
    description: "Looks up a row",
    parameters: { ...OBJECT, properties: { key: { type: "string" } }, required: ["key"] },
  },
  { name: "hold", description: "Holds", parameters: { ...OBJECT, properties: {} } },
];

export type Transcript = { step: string; [key: string]: unknown }[];

export interface ScenarioRun {
  transcript: Transcript;
  /** What the tool that had to be allowed has written. */
  made: string;
  /** How many sessions were kept. */
  sessions: number;
}

/** Takes the steps with a client: `driver` is the program, the file with the scenario is its last argument. */
export async function runScenario(driver: readonly string[]): Promise<ScenarioRun> {
  using workspace = tempWorkspace();
  const [command = "", ...start] = ralphCommand();
  const model = workspace.write("script.yml", SCRIPT);
  const scenario = {
    command,
    args: [...start, "--model", `scripted/${model}`],
    cwd: workspace.project,
    env: workspace.environment,
    steps: STEPS,
    tools: TOOLS,
  };
  const path = workspace.write("scenario.json", JSON.stringify(scenario));
  const said = await run([...driver, path], workspace);
  const sessions = workspace.find("ralph-home/data/sessions/**/*.jsonl").length;
  return { transcript: normalised(JSON.parse(said)), made: workspace.read("project/made.txt"), sessions };
}

const LIMIT_MS = 60_000;

async function run(command: string[], { environment }: TempWorkspace): Promise<string> {
  const child = Bun.spawn(command, {
    env: { ...environment, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`The driver ended with ${code}.\n${stderr}\n${stdout}`);
  return stdout;
}

/** Sizes, times and ids are other ones in every run. */
function normalised(transcript: Transcript): Transcript {
  return JSON.parse(JSON.stringify(transcript), (key, value: unknown) => (VARYING.has(key) ? `<${key}>` : value));
}

const VARYING = new Set(["sessionId", "sessionFile", "contextUsage", "model"]);
