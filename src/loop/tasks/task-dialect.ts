import { asArray, asObject, asString } from "../../protocol/json.ts";
import type { TaskDialect } from "../../protocol/loop-tasks.ts";
import { nearestChoices } from "../../system/nearest.ts";
import { type Fields, type Need, pathOf, quoted, type Report } from "./task-fields.ts";

// The three ways a prd.json is written, and what each demands.

export interface Dialect {
  name: TaskDialect;
  /** Of what every story of the first version has; the others leave much of it away. */
  need: Need;
  /** A criterion may say for itself whether it passes. */
  hasObjectCriteria: boolean;
  /** The only keys there may be; undefined where others are kept and not looked at. */
  topKeys?: readonly string[];
  storyKeys?: readonly string[];
}

const FIRST: Dialect = {
  name: "v1",
  need: "required",
  hasObjectCriteria: false,
  topKeys: ["branchName", "userStories", "setup"],
  storyKeys: ["id", "title", "acceptanceCriteria", "priority", "passes", "notes", "checks", "sealed"],
};
const SECOND: Dialect = { name: "2.x", need: "optional", hasObjectCriteria: true };
const RALPH_TUI: Dialect = { name: "ralph-tui", need: "optional", hasObjectCriteria: false };

/** Any of these says that the file is none of the first version, although it names no version. */
const TOP_SIGNS = ["name", "project", "description", "metadata"];
const STORY_SIGNS = ["dependsOn", "description"];

/** Undefined where the file names a version nobody here knows; that is reported. */
export function dialectOf(document: Record<string, unknown>, report: Report): Dialect | undefined {
  if (!Object.hasOwn(document, "schemaVersion")) return unversioned(document);
  const { schemaVersion } = document;
  const version = typeof schemaVersion === "number" ? String(schemaVersion) : asString(schemaVersion);
  if (version !== undefined && /^2(\.\d{1,9})*$/.test(version)) return SECOND;
  report({
    path: "schemaVersion",
    message: `is ${quoted(schemaVersion)}; known are files without a version and those of version 2`,
    remedy: 'Write "schemaVersion": "2.0", or take the line out.',
  });
  return undefined;
}

function unversioned(document: Record<string, unknown>): Dialect {
  const stories = asArray(document.userStories).map(asObject);
  const isOther =
    TOP_SIGNS.some((key) => Object.hasOwn(document, key)) ||
    stories.some((story) => story !== undefined && STORY_SIGNS.some((key) => Object.hasOwn(story, key)));
  return isOther ? RALPH_TUI : FIRST;
}

export function refuseUnknownKeys(fields: Fields, known: readonly string[] | undefined): void {
  if (known === undefined) return;
  for (const key of Object.keys(fields.values)) {
    if (known.includes(key)) continue;
    const [close] = nearestChoices(key, known, 1);
    fields.report({
      path: pathOf(fields, key),
      message: `is no key of this format${close === undefined ? "" : `; did you mean "${close}"?`}`,
      remedy: 'Correct or remove it; to keep keys of your own, add "schemaVersion": "2.0" at the top.',
    });
  }
}
