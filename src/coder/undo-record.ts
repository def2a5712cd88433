import { realpathSync } from "node:fs";
import type { Session } from "../sessions/session.ts";
import type { UndoRecorder } from "../sessions/undo/undo-recorder.ts";
import type { Clock } from "../system/clock.ts";
import type { ToolWorld } from "../tools/tool-world.ts";

/** What has to be kept so that a prompt can be taken back. Nothing is loaded before something is about to change. */
export interface UndoRecord extends Required<Pick<ToolWorld, "beforeChange" | "beforeShell">> {
  /** `entryId` is that of the message everything is done for. */
  startTurn(entryId: string): void;
  afterTool(): void;
  endTurn(): Promise<void>;
}

export interface UndoRecordOptions {
  session: Session;
  /** Where contents are kept. */
  blobs: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
}

/** A session that is not kept cannot be undone. What an earlier process left unsettled is settled first. */
export async function openUndoRecord({ session, ...options }: UndoRecordOptions): Promise<UndoRecord> {
  if (session.path === undefined) return NO_RECORD;
  let turn: string | undefined;
  let opened: Promise<UndoRecorder> | undefined;
  const open = async () => {
    const { createUndoRecorder } = await import("../sessions/undo/undo-recorder.ts");
    const { HELD_NAMES: placeholders } = await import("../permissions/sandbox/sandbox-rows.ts");
    const recorder = createUndoRecorder({ ...options, session, root: realpathSync(session.header.cwd), placeholders });
    if (turn !== undefined) recorder.startTurn(turn);
    return recorder;
  };
  const recorder = () => {
    opened ??= open();
    return opened;
  };
  if (session.leafId !== null) await (await recorder()).recover();
  return {
    startTurn(entryId) {
      turn = entryId;
      void opened?.then((record) => record.startTurn(entryId));
    },
    beforeChange: async (...paths) => (await recorder()).beforeChange(...paths),
    beforeShell: async () => (await recorder()).beforeShell(),
    afterTool: () => void opened?.then((record) => record.afterTool()),
    async endTurn() {
      turn = undefined;
      await (await opened)?.endTurn();
    },
  };
}

const NO_RECORD: UndoRecord = {
  startTurn: () => {},
  beforeChange: async () => undefined,
  beforeShell: async () => undefined,
  afterTool: () => {},
  endTurn: async () => {},
};
