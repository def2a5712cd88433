// One coder at work in a folder, with a scripted model: `coder.ts ROOT HOME SCRIPT PROMPT`. It opens the newest session of the
// folder or begins one, and prints every event as a line. Tests kill it.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createCoder } from "../../../src/coder/create-coder.ts";
import { createPlainGate } from "../../../src/coder/plain-gate.ts";
import { createStreamModel } from "../../../src/llm/stream.ts";
import { scriptedModel } from "../../../src/models/scripted-model.ts";
import { createSession, openSession } from "../../../src/sessions/journal.ts";
import { sessionDirectory } from "../../../src/sessions/session-name.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { ralphPaths } from "../../../src/system/paths.ts";
import { editFileTool } from "../../../src/tools/edit-file.ts";
import { createJobs } from "../../../src/tools/jobs.ts";
import { readFileTool } from "../../../src/tools/read-file.ts";
import { shellTool } from "../../../src/tools/shell.ts";
import { createToolSet, findTool } from "../../../src/tools/tool-set.ts";
import { createSeenFiles } from "../../../src/tools/tool-world.ts";

const [root = "", home = "", script = "", prompt = ""] = process.argv.slice(2);
const paths = ralphPaths({ home, environment: { RALPH_HOME: home }, platform: process.platform });
const world = {
  root: realpathSync(root),
  clock: systemClock,
  environment: process.env,
  artifacts: paths.artifacts,
  seen: createSeenFiles(),
  beforeChange: async () => {},
};
const folder = sessionDirectory(paths, world.root);
const newest = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .at(-1)
  : undefined;
const opened =
  newest === undefined
    ? await createSession({ places: paths, cwd: world.root })
    : await openSession(join(folder, newest), { places: paths });
if (!opened.ok) throw new Error(opened.message);
const chosen = scriptedModel(`scripted/${script}`);
if (chosen === undefined) throw new Error("no script");
const jobs = createJobs(world);
const set = createToolSet({
  tools: [readFileTool(world), editFileTool(world), shellTool(world, jobs)],
  core: ["read_file", "edit_file", "shell"],
  mode: "default",
});
const coder = createCoder({
  model: chosen.model,
  effort: "off",
  streamModel: createStreamModel({
    ...chosen,
    credential: { type: "none" },
    clock: systemClock,
    random: Math.random,
    userAgent: "test",
  }),
  session: opened.session,
  advertised: () => set.advertised,
  findTool: (name) => findTool(set, name),
  unknownTool: (name) => `there is no tool ${name}`,
  gate: createPlainGate({ root: world.root, yolo: true, confirm: async () => undefined }),
  systemPrompt: "You are tested.",
  dynamic: () => "",
  emit: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
  clock: systemClock,
  stream: true,
  maxTurns: 50,
});
await coder.prompt({ role: "user", content: [{ type: "text", text: prompt }] }, new AbortController().signal);
await opened.session.close();
process.exit(0);
