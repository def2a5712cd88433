import { mergeThreeWays } from "../system/three-way-merge.ts";
import type { EditPlan } from "./edit-plan.ts";
import { decodeText, type TextContent } from "./text-content.ts";

export interface StaleEdit {
  plan(content: TextContent): EditPlan;
  now: TextContent;
  /** What the model last saw of the file. */
  lastSeen: Uint8Array | undefined;
}

const REMARK = "The file was changed since you read it. Your edit fits what you read and was merged with that.";

/** An edit that does not fit the file of now, but fits what the model saw, is made there and merged with what came since. */
export function mergedIfStale({ plan, now, lastSeen }: StaleEdit): EditPlan {
  const direct = plan(now);
  if (direct.ok || direct.isStale !== true || lastSeen === undefined) return direct;
  const seen = decodeText(lastSeen);
  const wanted = seen === undefined ? undefined : plan(seen);
  if (seen === undefined || wanted?.ok !== true) return direct;
  const merged = mergeThreeWays({ base: seen.raw, ours: now.raw, theirs: wanted.raw });
  return merged.ok ? { ...wanted, raw: merged.text, remark: REMARK } : direct;
}
