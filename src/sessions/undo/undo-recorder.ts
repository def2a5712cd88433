import { dirname, isAbsolute, join } from "node:path";
import type { FileRecord, FileState, ShellSnapshot } from "../../protocol/session-entries.ts";
import type { Clock } from "../../system/clock.ts";
import { type FileFailure, failure } from "../../system/file-failure.ts";
import { removeStaleTemporaries } from "../../system/temporary-names.ts";
import type { EntryDraft, Session } from "../session.ts";
import { compareSnapshot } from "./compare-snapshot.ts";
import { KEEP_LIMITS, type KeepLimits, type KeepRoom, type KeptFile, keepFiles } from "./keep-files.ts";
import { MISSING, notKept, pathWithin, sameState, stampAt } from "./observe-file.ts";
import {
  type HeldSnapshot,
  loadSnapshot,
  SNAPSHOT_LIMITS,
  type TakenSnapshot,
  takeSnapshot,
} from "./shell-snapshot.ts";
import { type UndoTurn, undoTurns, unsettledTurn } from "./undo-turns.ts";

export interface UndoRecorderOptions {
  session: Session;
  /** Where contents are kept. */
  blobs: string;
  /** The workspace of the session, absolute, links resolved. */
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  limits?: KeepLimits;
  /** Names in the workspace under which an empty folder counts for nothing: it is only there to hold the name. */
  placeholders?: readonly string[];
}

/**
 * Keeps what is needed to take turns back. A failure means that something could not be stored; then the change it was asked
 * about must not be made.
 */
export interface UndoRecorder {
  /** Settles a turn in which an earlier Ralph was stopped. Once, before the first turn. */
  recover(): Promise<void>;
  /** `turnId` is the entry that begins the turn. */
  startTurn(turnId: string): void;
  /** Absolute paths. Resolves when their states are on the disk, flushed. */
  beforeChange(...paths: readonly string[]): Promise<FileFailure | undefined>;
  /** Whether a path that was announced in this turn could be given back from what is stored. */
  isKept(path: string): boolean;
  /** The first of a turn takes a snapshot; later ones cost nothing. */
  beforeShell(): Promise<FileFailure | undefined>;
  /** Records how the files look that were announced since. Need not be waited for. */
  afterTool(): Promise<void>;
  /** Finds what shell commands changed and closes the turn. Costs nothing when nothing was announced. */
  endTurn(): Promise<FileFailure | undefined>;
}

export function createUndoRecorder(options: UndoRecorderOptions): UndoRecorder {
  return new Recorder(options);
}

interface OpenTurn {
  id: string;
  room: KeepRoom;
  before: Map<string, FileState>;
  /** With the stamp by which an untouched file is known without reading it. */
  after: Map<string, { state: FileState; stamp: string | undefined }>;
  /** Announced, and not looked at since. */
  touched: Set<string>;
  snapshot?: ShellSnapshot;
  held?: HeldSnapshot;
  /** Begun by a Ralph that was stopped in it. */
  isReopened?: true;
  /** Of an undo that was stopped: what it was to make of the files. Whatever else stands there came later. */
  wanted?: ReadonlyMap<string, FileState>;
}

const OUTSIDE = notKept("it is outside the workspace");

class Recorder implements UndoRecorder {
  private turn: OpenTurn | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private readonly swept = new Set<string>();
  private tooSlow: TakenSnapshot | undefined;
  private previous: HeldSnapshot | undefined;

  constructor(private readonly options: UndoRecorderOptions) {}

  startTurn(turnId: string): void {
    this.turn = newTurn(turnId, this.options.limits);
  }

  beforeChange(...paths: readonly string[]): Promise<FileFailure | undefined> {
    return this.inTurn((turn) => this.recordBefore(turn, paths));
  }

  isKept(path: string): boolean {
    const before = this.turn?.before.get(pathWithin(this.options.root, path) ?? path);
    return before !== undefined && before.type !== "not-kept";
  }

  beforeShell(): Promise<FileFailure | undefined> {
    return this.inTurn((turn) => this.recordSnapshot(turn));
  }

  async afterTool(): Promise<void> {
    if ((this.turn?.touched.size ?? 0) > 0) await this.inTurn((turn) => this.recordTouched(turn));
  }

  async endTurn(): Promise<FileFailure | undefined> {
    const settled = this.inTurn(async (turn) =>
      turn.before.size > 0 || turn.snapshot !== undefined ? this.settle(turn) : undefined,
    );
    this.turn = undefined;
    return await settled;
  }

  async recover(): Promise<void> {
    const recorded = unsettledTurn(this.options.session.entries);
    if (recorded === undefined) return;
    this.turn = reopened(recorded, this.options.limits);
    if (recorded.undoes !== undefined) this.turn.wanted = statesBefore(this.options.session, recorded.undoes);
    this.sweep([...recorded.files.keys()]);
    const { snapshot } = recorded;
    if (snapshot !== undefined && snapshot.type !== "none") {
      const held = await loadSnapshot(snapshot, this.options);
      if (held !== undefined) this.turn.held = held;
    }
    await this.endTurn();
  }

  /** One after the other, in the order of the calls, each for the turn that was open when it was called. */
  private inTurn(work: (turn: OpenTurn) => Promise<FileFailure | undefined>): Promise<FileFailure | undefined> {
    const { turn } = this;
    if (turn === undefined) return Promise.resolve(undefined);
    const done = this.last.then(() => work(turn));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async recordBefore(turn: OpenTurn, paths: readonly string[]): Promise<FileFailure | undefined> {
    const { root, blobs } = this.options;
    const own = paths.map((path) => ({ path, own: pathWithin(root, path) }));
    const outside = own.filter((one) => one.own === undefined && !turn.before.has(one.path));
    const inside = own.flatMap((one) => (one.own === undefined ? [] : [one.own]));
    const fresh = [...new Set(inside.flatMap((path) => [...this.missingFolders(path), path]))].filter(
      (path) => !turn.before.has(path),
    );
    this.sweep(inside);
    const kept = await keepFiles(fresh, { root, blobs, room: turn.room });
    if (!kept.ok) return kept;
    const files = [
      ...outside.map(({ path }) => ({ path, state: OUTSIDE })),
      ...kept.files.map(({ path, state }) => ({ path, state })),
    ];
    const stored = await this.store(files.length === 0 ? undefined : { type: "files-before", turnId: turn.id, files });
    if (stored !== undefined) return stored;
    for (const { path, state } of files) turn.before.set(path, state);
    for (const path of [...outside.map((one) => one.path), ...fresh, ...inside]) turn.touched.add(path);
    return undefined;
  }

  /** Where files are about to be written, what a killed process left half written goes first; once for each folder. */
  private sweep(paths: readonly string[]): void {
    const { root, clock } = this.options;
    for (const folder of new Set(paths.filter((path) => !isAbsolute(path)).map((path) => dirname(path)))) {
      const isInside = folder === "." || stampAt(root, folder)?.stats.isDirectory() === true;
      if (this.swept.has(folder) || !isInside) continue;
      this.swept.add(folder);
      removeStaleTemporaries(join(root, folder), clock.now());
    }
  }

  /** Folders that will have to be made on the way; the topmost first. */
  private missingFolders(path: string): string[] {
    const missing: string[] = [];
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      if (stampAt(this.options.root, folder) !== undefined) break;
      missing.unshift(folder);
    }
    return missing;
  }

  private async recordSnapshot(turn: OpenTurn): Promise<FileFailure | undefined> {
    if (turn.snapshot !== undefined) return undefined;
    // What tools changed up to here is told first: from here on it may have been a command.
    await this.recordTouched(turn);
    const { snapshot, held } = this.tooSlow ?? (await this.takeSnapshot());
    const stored = await this.store({ type: "shell-snapshot", turnId: turn.id, snapshot });
    if (stored !== undefined) return stored;
    turn.snapshot = snapshot;
    if (held !== undefined) turn.held = held;
    return undefined;
  }

  /** A workspace that once took too long is not tried again in every turn. */
  private async takeSnapshot(): Promise<TakenSnapshot> {
    const { clock } = this.options;
    const started = clock.monotonic();
    const taken = await takeSnapshot({ ...this.options, previous: this.previous });
    this.previous = taken.held;
    const isSlow = clock.monotonic() - started >= SNAPSHOT_LIMITS.milliseconds;
    if (taken.held === undefined && isSlow) this.tooSlow = taken;
    return taken;
  }

  private async recordTouched(turn: OpenTurn): Promise<FileFailure | undefined> {
    const paths = [...turn.touched];
    turn.touched.clear();
    const files = await this.newStates(turn, paths);
    return this.store(files.length === 0 ? undefined : { type: "files-after", turnId: turn.id, files });
  }

  /** The states that are not what was last recorded. */
  private async newStates(turn: OpenTurn, paths: readonly string[]): Promise<FileRecord[]> {
    const { root, blobs } = this.options;
    const outside = paths.filter((path) => isAbsolute(path) && !turn.after.has(path));
    const changed = paths.filter((path) => {
      const stamp = turn.after.get(path)?.stamp;
      return !isAbsolute(path) && (stamp === undefined || stampAt(root, path)?.stamp !== stamp);
    });
    const kept = await keepFiles(changed, { root, blobs, room: turn.room });
    if (!kept.ok) return [];
    return [...outside.map((path) => ({ path, state: OUTSIDE })), ...kept.files].flatMap(
      ({ path, state, stamp }: KeptFile) => {
        const known = turn.after.get(path)?.state ?? turn.before.get(path) ?? MISSING;
        turn.after.set(path, { state, stamp });
        return sameState(known, state) ? [] : [{ path, state }];
      },
    );
  }

  private async settle(turn: OpenTurn): Promise<FileFailure | undefined> {
    const { shell, problem } = await this.shellChanges(turn);
    // What stands there now that a stopped Ralph no longer saw may be the work of a person who came after it.
    const isUncertain = (path: string) => turn.isReopened === true && !turn.touched.has(path);
    const told = new Set(shell.after.map(({ path }) => path));
    const isAllLookedAt = turn.snapshot !== undefined && turn.isReopened !== true;
    const own = [...(isAllLookedAt ? turn.before.keys() : turn.touched)].filter((path) => !told.has(path));
    const states = await this.newStates(turn, own);
    const isForeign = ({ path, state }: FileRecord) =>
      turn.wanted !== undefined && !sameState(state, turn.wanted.get(path) ?? OUTSIDE);
    const uncertain = [...shell.after.filter(({ path }) => isUncertain(path)), ...states.filter(isForeign)];
    const certain = shell.after.filter(({ path }) => !isUncertain(path));
    const files = [...states.filter((file) => !isForeign(file)), ...certain];
    const { id: turnId } = turn;
    // Not waited for one by one: they are flushed together, in this order.
    const stored = await Promise.all([
      this.storeFiles({ type: "files-before", turnId, files: shell.before, fromSnapshot: true }),
      this.storeFiles({ type: "files-after", turnId, files: uncertain, isUncertain: true }),
      this.store({ type: "files-after", turnId, files, isSettled: true, ...problem }),
    ]);
    return stored.find((failed) => failed !== undefined);
  }

  private async shellChanges(
    turn: OpenTurn,
  ): Promise<{ shell: { before: FileRecord[]; after: FileRecord[] }; problem?: { problem: string } }> {
    const { held, snapshot } = turn;
    const found = held === undefined ? undefined : await compareSnapshot(held, { ...this.options, room: turn.room });
    if (found?.ok) return { shell: found };
    const isLost = snapshot !== undefined && snapshot.type !== "none" && held === undefined;
    const why = found?.ok === false ? found.why : isLost ? "the snapshot could not be read" : undefined;
    const shell = { before: [], after: [] };
    return why === undefined
      ? { shell }
      : { shell, problem: { problem: `What shell commands changed cannot be undone: ${why}.` } };
  }

  private async storeFiles(draft: Extract<EntryDraft, { files: FileRecord[] }>): Promise<FileFailure | undefined> {
    return draft.files.length === 0 ? undefined : this.store(draft);
  }

  private async store(draft: EntryDraft | undefined): Promise<FileFailure | undefined> {
    if (draft === undefined) return undefined;
    const stored = await this.options.session.append(draft);
    return stored.ok ? undefined : failure("failed", stored.message);
  }
}

function statesBefore({ entries }: Session, turnId: string): Map<string, FileState> {
  const turn = undoTurns(entries).find(({ id }) => id === turnId);
  return new Map([...(turn?.files ?? [])].map(([path, { before }]) => [path, before]));
}

function newTurn(id: string, limits: KeepLimits = KEEP_LIMITS): OpenTurn {
  const room = { limits, bytesLeft: limits.turnBytes };
  return { id, room, before: new Map(), after: new Map(), touched: new Set() };
}

function reopened({ id, files, snapshot }: UndoTurn, limits?: KeepLimits): OpenTurn {
  const turn: OpenTurn = { ...newTurn(id, limits), isReopened: true };
  for (const [path, { before, after }] of files) {
    turn.before.set(path, before);
    if (after !== undefined) turn.after.set(path, { state: after, stamp: undefined });
    // What is not as it was last recorded may be the work of a person, who came after Ralph was stopped.
    else turn.touched.add(path);
  }
  return snapshot === undefined ? turn : { ...turn, snapshot };
}
