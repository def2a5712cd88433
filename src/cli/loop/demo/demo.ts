import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runProcess } from "../../../system/run-process.ts";
import { EXIT } from "../../exit-codes.ts";
import { print } from "../../output.ts";
import { hasFlag, type RunContext } from "../../run-context.ts";
import { run } from "../run.ts";
import demoText from "./demo.yml" with { type: "text" };

// The whole loop on a small repository of its own, with a model that plays a script: no key, no network, nothing of the person's.

interface Demonstration {
  files: Record<string, string>;
  task: object;
  script: object;
}

const TASK = "words";

/** `ralph demo`: three stories, four iterations, one attempt to cheat, three receipts. */
export async function demo(context: RunContext): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-demo-")));
  const project = join(folder, "project");
  const script = writeProject(project, folder);
  const made = await makeRepository(context, project);
  if (made !== undefined) {
    context.note(made);
    return EXIT.failed;
  }
  const say = hasFlag(context, "json") ? () => undefined : print;
  say(`A demonstration in ${project}: a scripted model works, everything else is real.\n\n`);
  const flags = new Map<string, string | true>(context.arguments.flags);
  for (const [name, value] of Object.entries({ agent: "ralph", model: `scripted/${script}`, sleep: "0" }))
    flags.set(name, value);
  const code = await run({
    ...context,
    cwd: project,
    arguments: { ...context.arguments, words: [join("tasks", TASK)], flags },
  });
  say(`\n${goOn(project)}\n`);
  return code;
}

/** Returns where the script is. */
function writeProject(project: string, folder: string): string {
  const { files, task, script } = Bun.YAML.parse(demoText) as Demonstration;
  const all: [string, string][] = [
    ...Object.entries(files).map(([path, text]): [string, string] => [join(project, path), text]),
    [join(project, "tasks", TASK, "prd.json"), `${JSON.stringify(task, undefined, 2)}\n`],
    [join(folder, "script.yml"), JSON.stringify(script)],
  ];
  for (const [path, text] of all) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return join(folder, "script.yml");
}

async function makeRepository({ environment }: RunContext, project: string): Promise<string | undefined> {
  const commands = [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    [
      ...["-c", "user.name=Ralph", "-c", "user.email=ralph@localhost"],
      "commit",
      "--quiet",
      "--message",
      "What was there before",
    ],
  ];
  for (const words of commands) {
    const { outcome } = await runProcess({ argv: ["git", ...words], cwd: project, environment }).result;
    if (outcome.type === "not-started")
      return `The demonstration needs git, and it could not be started: ${outcome.message}`;
    if (outcome.type !== "exited" || outcome.code !== 0) return `git ${words[0]} failed in ${project}.`;
  }
  return undefined;
}

function goOn(project: string): string {
  return [
    `Look at it:  git -C ${project} log --stat`,
    `             ralph receipts ${TASK}`,
    "Do it with a model of your own:",
    "             ralph doctor             which keys and agents there are",
    "             ralph init tasks/NAME    stories and checks for your project",
    "             ralph run tasks/NAME     until they are proven",
  ].join("\n");
}
