import type * as z from "zod";
import { nearestChoices } from "../system/nearest.ts";
import { checkModelsFile } from "./models-file-rules.ts";
import { FOREIGN_APIS, type ModelsFile, modelsFile, validKeysAt } from "./models-file-schema.ts";
import type { ModelsFileProblem } from "./models-file-state.ts";
import { findTreeFault } from "./tree-fault.ts";
import { findFault } from "./yaml-fault.ts";
import { formatPath, type PathPart, type YamlPositions, yamlPositions } from "./yaml-positions.ts";

export type ParsedModelsFile = { ok: true; value: ModelsFile } | { ok: false; problems: ModelsFileProblem[] };
export type ModelsFileFormat = "yaml" | "json";

const MAX_PROBLEMS = 20;

/** From the text to the checked value, or to everything that is wrong with it, in the order of the text. */
export function parseModelsFile(source: string, options: { file: string; format: ModelsFileFormat }): ParsedModelsFile {
  const text = options.format === "json" ? withoutComments(source) : source;
  const parsed = parseText(text, options.format);
  if (!parsed.ok) return failed(options.file, [syntaxFinding(text, parsed.reason, options.format)]);
  const positions = yamlPositions(text);
  const checked = checkValue(parsed.value);
  const findings = [...repeatedKeys(positions), ...checked.findings];
  if (checked.value !== undefined && findings.length === 0) return { ok: true, value: checked.value };
  return failed(
    options.file,
    findings.map((finding) => placed(finding, positions)),
  );
}

/** The plain value of a text, or the parser's reason. */
export function parseText(
  text: string,
  format: ModelsFileFormat,
): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    const value = format === "json" ? Bun.JSONC.parse(text) : Bun.YAML.parse(text);
    return { ok: true, value };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: message.replace(/^(YAML|JSONC?) Parse error: /, "") };
  }
}

interface Finding {
  path: PathPart[];
  message: string;
  remedy: string;
  line?: number;
  column?: number;
}

type Placed = Finding & { line: number };

function checkValue(value: unknown): { value?: ModelsFile; findings: Finding[] } {
  const fault = findTreeFault(value);
  if (fault !== undefined) return { findings: [fault] };
  const parsed = modelsFile.safeParse(value ?? {});
  if (parsed.success) return { value: parsed.data, findings: checkModelsFile(parsed.data) };
  return { findings: parsed.error.issues.flatMap((issue) => describeIssue(issue, value)) };
}

function describeIssue(issue: z.core.$ZodIssue, root: unknown): Finding[] {
  const path = issue.path.filter((part): part is PathPart => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key));
  if (issue.code === "invalid_key") {
    const message = issue.issues[0]?.message ?? "This name is not allowed.";
    return [{ path, message, remedy: "Give it another name." }];
  }
  const found = valueAt(root, path);
  if (typeof found === "string" && FOREIGN_APIS.includes(found) && path.at(-1) === "api") {
    return [{ path, message: issue.message, remedy: "Use a provider that offers another api, or remove this entry." }];
  }
  const key = path.length === 0 ? "The file" : `"${formatPath(path.slice(-1))}"`;
  return [
    { path, message: `${key} is ${shown(found)}: ${lowerFirst(issue.message)}.`, remedy: remedyFor(issue, found) },
  ];
}

function unknownKey(path: PathPart[], key: string): Finding {
  const valid = validKeysAt(path);
  const near = nearestChoices(key, valid, 1)[0];
  const place = path.length === 0 ? "the top level" : formatPath(path);
  const remedy =
    near === undefined ? `Remove it. Known here: ${valid.join(", ")}.` : `Did you mean "${near}"? Otherwise remove it.`;
  return { path: [...path, key], message: `"${key}" is not a key of ${place}.`, remedy };
}

function remedyFor(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code === "invalid_value") {
    const choices = issue.values.map(String);
    const near = typeof found === "string" ? nearestChoices(found, choices, 1)[0] : undefined;
    const list = `One of: ${choices.join(", ")}.`;
    return near === undefined ? list : `Did you mean "${near}"? ${list}`;
  }
  if (issue.code === "invalid_type") return `Write a value of type ${issue.expected}.`;
  if (issue.code === "too_small" || issue.code === "too_big") return "Change it to a value inside the bound.";
  return "Correct the value.";
}

function repeatedKeys(positions: YamlPositions): Finding[] {
  return positions.repeatedKeys().map(({ path, first, again }) => ({
    path,
    message: `"${String(path.at(-1))}" stands here a second time; the first is in line ${first.line}.`,
    remedy: "Remove one of the two.",
    ...again,
  }));
}

function syntaxFinding(text: string, reason: string, format: ModelsFileFormat): Placed {
  const { line, column, unclosed } = findFault(text, (beginning) => parseText(beginning, format).ok);
  const name = format === "json" ? "JSON" : "YAML";
  const message =
    unclosed === undefined ? `This is not valid ${name}: ${lowerFirst(reason)}.` : `The "${unclosed}" is never closed.`;
  const remedy = /tab char/i.test(reason)
    ? "Indent with spaces."
    : "Check quotes, brackets, colons and the indentation.";
  return { path: [], message, remedy, line, column };
}

function placed(finding: Finding, positions: YamlPositions): Placed {
  return { ...positions.find(finding.path), ...finding };
}

function failed(file: string, findings: Placed[]): ParsedModelsFile {
  const sorted = [...findings].sort((a, b) => a.line - b.line);
  const problems = sorted.slice(0, MAX_PROBLEMS).map(({ path, ...rest }) => ({ file, key: formatPath(path), ...rest }));
  return { ok: false, problems };
}

/** JSON with comments: they become spaces, so that every place stays what it was. */
function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith("/") ? match.replace(/[^\n]/g, " ") : match,
  );
}

function valueAt(root: unknown, path: PathPart[]): unknown {
  let current = root;
  for (const part of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Reflect.get(current, part);
  }
  return current;
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  return JSON.stringify(value).slice(0, 80);
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, "");
}
