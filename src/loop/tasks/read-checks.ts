import { posix } from "node:path";
import { asObject } from "../../protocol/json.ts";
import type { Check } from "../../protocol/loop-tasks.ts";
import { globExpression } from "../../system/glob-pattern.ts";
import { nearestChoices } from "../../system/nearest.ts";
import {
  booleanField,
  type Fields,
  filledField,
  likeThis,
  listField,
  pathOf,
  quoted,
  type Report,
  textsIn,
} from "./task-fields.ts";

// The checks of a story and what is sealed for them. They are Ralph's own words, so every dialect is read strictly here.

export const DEFAULT_TIMEOUT_SECONDS = 600;
const LONGEST_TIMEOUT_SECONDS = 86_400;
const MOST_CHECKS = 50;
const MOST_SEALED = 100;

export function readChecks(fields: Fields): Check[] {
  const { report } = fields;
  const list = bounded(fields, { key: "checks", most: MOST_CHECKS });
  return list.flatMap((value, index): Check[] => {
    const path = `${pathOf(fields, "checks")}[${index}]`;
    if (typeof value === "string") return runCheck({ values: { run: value }, path, report });
    const values = asObject(value);
    if (values !== undefined) return objectCheck({ values, path, report });
    report({ path, message: "has to be a command in quotes, or an object", remedy: likeThis("checks") });
    return [];
  });
}

function objectCheck(fields: Fields): Check[] {
  const { values, path, report } = fields;
  const isRun = Object.hasOwn(values, "run");
  if (isRun === Object.hasOwn(values, "exists")) {
    const message = isRun ? 'has both "run" and "exists"' : 'has neither "run" nor "exists"';
    report({ path, message, remedy: 'Write it like {"run": "npm test"} or {"exists": "dist/app.js"}.' });
    return [];
  }
  refuseOtherKeys(fields, isRun ? ["run", "timeout", "mustFailFirst"] : ["exists"]);
  return isRun ? runCheck(fields) : existsCheck(fields);
}

function refuseOtherKeys(fields: Fields, known: readonly string[]): void {
  for (const key of Object.keys(fields.values).filter((name) => !known.includes(name))) {
    const [close] = nearestChoices(key, known, 1);
    fields.report({
      path: pathOf(fields, key),
      message: `means nothing in a check${close === undefined ? "" : `; did you mean "${close}"?`}`,
      remedy: `Known here: ${known.join(", ")}.`,
    });
  }
}

function runCheck(fields: Fields): Check[] {
  const { values, path, report } = fields;
  const run = filledField(fields, "run", "required");
  const mustFailFirst = booleanField(fields, "mustFailFirst", "optional") ?? false;
  const timeout = values.timeout ?? DEFAULT_TIMEOUT_SECONDS;
  if (typeof timeout !== "number" || !(timeout > 0 && timeout <= LONGEST_TIMEOUT_SECONDS)) {
    report({
      path: `${path}.timeout`,
      message: `has to be seconds above 0 and at most ${LONGEST_TIMEOUT_SECONDS}, not ${quoted(timeout)}`,
      remedy: likeThis("timeout"),
    });
    return [];
  }
  if (run?.includes("\0")) report({ path, message: "holds a zero character", remedy: "Take it out." });
  return run === undefined ? [] : [{ type: "run", run, timeoutSeconds: timeout, mustFailFirst }];
}

function existsCheck(fields: Fields): Check[] {
  const exists = filledField(fields, "exists", "required");
  if (exists === undefined) return [];
  const normal = pathInside(exists);
  if (normal !== undefined) return [{ type: "exists", exists: normal }];
  fields.report(leavesTheProject(pathOf(fields, "exists"), exists));
  return [];
}

/** Globs of paths that count from the top of the project. */
export function readSealed(fields: Fields): string[] {
  const path = pathOf(fields, "sealed");
  const { report } = fields;
  const list = bounded(fields, { key: "sealed", most: MOST_SEALED });
  return textsIn(list, { path, key: "sealed", report }).flatMap((item) => sealedPattern(item.text, item.path, report));
}

function sealedPattern(text: string, path: string, report: Report): string[] {
  // A folder stands for all that is in it.
  const pattern = pathInside(text.trim().replace(/\/$/, "/**"));
  if (pattern === undefined) report(leavesTheProject(path, text));
  else if (globExpression(pattern) === undefined)
    report({ path, message: `${quoted(text)} is no pattern that matches anything`, remedy: "Close its brackets." });
  else return [pattern];
  return [];
}

function leavesTheProject(path: string, given: string) {
  return {
    path,
    message: `${quoted(given)} is not a path inside of the project`,
    remedy: "Write it relative to the top of the project, without a leading / and without ..",
  };
}

/** Undefined for what is empty, absolute, or leads out. */
function pathInside(path: string): string | undefined {
  if (path === "" || /[\\\0]/.test(path) || /^([a-z]:|~)/i.test(path) || posix.isAbsolute(path)) return undefined;
  const normal = posix.normalize(path).replace(/\/$/, "");
  return normal === "." || normal === ".." || normal.startsWith("../") ? undefined : normal;
}

function bounded(fields: Fields, { key, most }: { key: string; most: number }): unknown[] {
  const list = listField(fields, key, "optional") ?? [];
  if (list.length <= most) return list;
  const remedy = "Put several into one script, or split the story.";
  fields.report({ path: pathOf(fields, key), message: `has ${list.length} entries; at most ${most} are read`, remedy });
  return list.slice(0, most);
}
