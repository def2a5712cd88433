import type { JsonObject } from "../protocol/json.ts";

/** What the edits make of a content; every edit was checked against it. */
export type EditPlan =
  | { ok: true; raw: string; details?: JsonObject; remark?: string }
  /** `isStale`: it would fit a content the model saw before. */
  | { ok: false; message: string; isStale?: boolean };
