import { settingSchemas } from "../../protocol/settings.ts";
import { nearestChoices } from "../../system/nearest.ts";
import { type Checked, isSettingKey, SETTING_KEYS } from "./layers.ts";

/** Whether a value may stand under this key, in words that say what would be right. Loads the schemas. */
export function judgeSetting(key: string, value: unknown): Checked {
  if (!isSettingKey(key)) return { ok: false, message: unknownSetting(key) };
  const parsed = settingSchemas[key].safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, message: issue === undefined ? "it has the wrong form" : describeIssue(issue) };
}

function unknownSetting(key: string): string {
  const [close] = nearestChoices(key, SETTING_KEYS, 1);
  return `there is no such setting${close === undefined ? "" : ` (nearest: ${close})`}`;
}

interface SchemaIssue {
  code?: string;
  message: string;
  values?: unknown[];
  expected?: string;
  minimum?: unknown;
  maximum?: unknown;
}

function describeIssue(issue: SchemaIssue): string {
  if (issue.code === "invalid_value") return `it must be one of ${(issue.values ?? []).join(", ")}`;
  if (issue.code === "invalid_type") return `it must be a ${issue.expected}`;
  if (issue.code === "too_small") return `it must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `it must be at most ${issue.maximum}`;
  return issue.message;
}
