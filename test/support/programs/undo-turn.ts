// One turn in a workspace that ends with SIGKILL at a chosen moment: `undo-turn.ts DIRECTORY MOMENT`. Tests look at what is
// left on the disk.
import { join } from "node:path";
import { pinPlace } from "../../../src/permissions/paths/pin-place.ts";
import { createSession } from "../../../src/sessions/journal.ts";
import { applyUndo } from "../../../src/sessions/undo/apply-undo.ts";
import { prepareUndo } from "../../../src/sessions/undo/prepare-undo.ts";
import { createUndoRecorder, type UndoRecorder } from "../../../src/sessions/undo/undo-recorder.ts";
import { undoTurns } from "../../../src/sessions/undo/undo-turns.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { deleteDirectoryTool } from "../../../src/tools/delete-directory.ts";
import { editFileTool } from "../../../src/tools/edit-file.ts";
import { createJobs } from "../../../src/tools/jobs.ts";
import { shellTool } from "../../../src/tools/shell.ts";
import { createSeenFiles, type ToolWorld } from "../../../src/tools/tool-world.ts";
import { opened, placesIn, said, stored, user } from "../session-samples.ts";
import { callTool } from "../tool-runs.ts";

const [directory = "", moment = ""] = process.argv.slice(2);
const root = join(directory, "project");
const { blobs } = placesIn(directory);
const environment = { PATH: process.env.PATH, HOME: directory };
const session = opened(await createSession({ places: placesIn(directory), cwd: root }));
const recorder = createUndoRecorder({ session, blobs, root, environment, clock: systemClock });
const die = (now: string) => {
  if (now === moment) process.kill(process.pid, "SIGKILL");
};
const world: ToolWorld = {
  root,
  clock: systemClock,
  environment,
  artifacts: join(directory, "artifacts"),
  pin: pinPlace,
  seen: createSeenFiles(),
  beforeChange: async (...paths) => {
    const refused = await recorder.beforeChange(...paths);
    die("before-write");
    return refused;
  },
  beforeShell: async () => {
    const refused = await recorder.beforeShell();
    die("before-command");
    return refused;
  },
};
const { id } = await stored(session, said(user("change everything")));
recorder.startTurn(id);
await callTool(editFileTool(world), { path: "a.txt", old_string: "one", new_string: "two" });
die("after-write");
await recorder.afterTool();
await callTool(deleteDirectoryTool(world), { path: "dir" });
await recorder.afterTool();
die("after-tool");
await callTool(shellTool(world, createJobs(world)), { command: "echo more >> a.txt; echo b > b.txt" });
die("after-command");
await recorder.endTurn();
const [turn] = undoTurns(session.entries);
if (turn === undefined) throw new Error("no turn");
const dying: UndoRecorder = {
  ...recorder,
  startTurn: (turnId) => recorder.startTurn(turnId),
  isKept: (path) => recorder.isKept(path),
  beforeChange: async (...paths) => {
    const refused = await recorder.beforeChange(...paths);
    die("before-undo");
    return refused;
  },
  endTurn: async () => {
    die("after-undo");
    return undefined;
  },
};
await applyUndo(await prepareUndo(turn, { root, blobs }), { session, recorder: dying, root, blobs });
