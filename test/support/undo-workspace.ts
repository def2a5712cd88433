import { afterEach } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pinPlace } from "../../src/permissions/paths/pin-place.ts";
import type { Tool } from "../../src/protocol/tool-runs.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import type { Session } from "../../src/sessions/session.ts";
import { applyUndo, type StepResult } from "../../src/sessions/undo/apply-undo.ts";
import type { KeepLimits } from "../../src/sessions/undo/keep-files.ts";
import { prepareUndo } from "../../src/sessions/undo/prepare-undo.ts";
import { createUndoRecorder, type UndoRecorder } from "../../src/sessions/undo/undo-recorder.ts";
import { turnToUndo, type UndoChoice, type UndoTurn, undoTurns } from "../../src/sessions/undo/undo-turns.ts";
import { systemClock } from "../../src/system/clock.ts";
import { createJobs } from "../../src/tools/jobs.ts";
import { shellTool } from "../../src/tools/shell.ts";
import { createSeenFiles, type ToolWorld } from "../../src/tools/tool-world.ts";
import { opened, placesIn, said, stored, user } from "./session-samples.ts";
import { callTool, textOf } from "./tool-runs.ts";

// A workspace whose turns can be undone: the real tools, a real session file, the real recorder.

export interface UndoWorkspace {
  root: string;
  blobs: string;
  session: Session;
  recorder: UndoRecorder;
  world: ToolWorld;
  write(path: string, content: string | Uint8Array): void;
  read(path: string): string;
  git(...words: string[]): string;
  /** One prompt, worked on by these calls. */
  turn(prompt: string, work: (hands: Hands) => Promise<unknown>): Promise<void>;
  turns(): UndoTurn[];
  /** Takes a turn back as `ralph undo` does; without a number the one it would choose. */
  undo(number?: number, choice?: UndoChoice): Promise<string[]>;
  /** Everything in the workspace but git's own: content, link or folder. */
  tree(): Record<string, string>;
}

export interface Hands {
  use(tool: (world: ToolWorld) => Tool, input: Record<string, unknown>): Promise<string>;
  shell(command: string): Promise<string>;
}

export interface WorkspaceOptions {
  limits?: KeepLimits;
  /** A session that is there; without it a new one. */
  sessionPath?: string;
  /** The workspace; without it `project` in the directory. */
  root?: string;
}

/** A function that gives workspaces, with a new session or one that is there; they are closed when a test ends. */
export function undoWorkspaces(): (directory: string, options?: WorkspaceOptions) => Promise<UndoWorkspace> {
  const open: Session[] = [];
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close();
  });
  return async (directory, { limits, sessionPath, root = join(realpathSync(directory), "project") } = {}) => {
    mkdirSync(root, { recursive: true });
    const places = placesIn(directory);
    const session = opened(
      await (sessionPath === undefined ? createSession({ places, cwd: root }) : openSession(sessionPath, { places })),
    );
    open.push(session);
    return assemble({ directory, root, session, ...(limits === undefined ? {} : { limits }) });
  };
}

interface Parts {
  directory: string;
  root: string;
  session: Session;
  limits?: KeepLimits;
}

function assemble(parts: Parts): UndoWorkspace {
  const { directory, root, session } = parts;
  const { blobs } = placesIn(directory);
  const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: directory, ...GIT_NAMES };
  const recorder = createUndoRecorder({ ...parts, blobs, environment, clock: systemClock });
  const world: ToolWorld = {
    root,
    clock: systemClock,
    environment,
    artifacts: join(directory, "artifacts"),
    pin: pinPlace,
    seen: createSeenFiles(),
    beforeChange: (...paths) => recorder.beforeChange(...paths),
    beforeShell: () => recorder.beforeShell(),
  };
  const use: Hands["use"] = async (tool, input) => {
    const output = textOf(await callTool(tool(world), input));
    await recorder.afterTool();
    return output;
  };
  const hands: Hands = {
    use,
    shell: (command) => use((own) => shellTool(own, createJobs(own)), { command }),
  };
  return {
    root,
    blobs,
    session,
    recorder,
    world,
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    git(...words) {
      const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...words], { cwd: root, env: environment });
      if (exitCode !== 0) throw new Error(stderr.toString());
      return stdout.toString();
    },
    async turn(prompt, work) {
      const { id } = await stored(session, said(user(prompt)));
      recorder.startTurn(id);
      await work(hands);
      await recorder.endTurn();
    },
    turns: () => undoTurns(session.entries),
    async undo(number, choice) {
      const turns = undoTurns(session.entries);
      const turn = number === undefined ? turnToUndo(turns, choice) : turns[number - 1];
      if (turn === undefined) return ["nothing to undo"];
      const prepared = await prepareUndo(turn, { root, blobs }, choice);
      const result = await applyUndo(prepared, { session, recorder, root, blobs });
      return result.ok ? result.results.map(resultInWords) : [result.message];
    },
    tree: () => treeOf(root),
  };
}

const GIT_NAMES = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

export function resultInWords({ step, left, beside }: StepResult): string {
  const why = "why" in step ? `: ${step.why}` : "";
  const place = beside === undefined ? "" : ` (old content in ${beside})`;
  return `${step.type} ${step.path}${why}${place}${left === undefined ? "" : `, left: ${left}`}`;
}

export function treeOf(root: string, folder = ""): Record<string, string> {
  const tree: Record<string, string> = {};
  if (!existsSync(join(root, folder))) return tree;
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = join(folder, name);
    const stats = lstatSync(join(root, path));
    const mode = (stats.mode & 0o777).toString(8);
    if (name === ".git") continue;
    if (stats.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(tree, { [`${path}/`]: mode }, treeOf(root, path));
    else tree[path] = `${mode} ${readFileSync(join(root, path), "utf8")}`;
  }
  return tree;
}
