import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode, fileFailure } from "../system/file-failure.ts";
import { readTextFile } from "../system/text-file.ts";
import { fileReferences } from "./file-references.ts";

export interface InstructionPlaces {
  /** The top folder of the project, absolute. */
  root: string;
  /** Absolute, normally inside the root. */
  cwd: string;
  /** The user's configuration folder, absolute. */
  config: string;
  /** Real paths that may not be read without being asked for, such as files of secrets. Default: none. */
  isProtected?: (path: string) => boolean;
}

export interface InstructionSource {
  kind: "project" | "personal" | "reference";
  /** Relative to the project root; absolute for the personal file. */
  path: string;
}

/** `notes` are lines for the person: what was left out and why. */
export interface Instructions {
  text: string;
  sources: InstructionSource[];
  notes: string[];
}

export const MAX_INSTRUCTION_BYTES = 32 * 1024;
/** A single file above this is no instruction for anybody and is left out whole. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_REFERENCES = 50;
const NAMES = ["AGENTS.md", "CLAUDE.md"];

/**
 * What people wrote down for agents, from general to particular: `AGENTS.md`, else `CLAUDE.md`, of every folder from the project
 * root down to the working directory, then the user's own `AGENTS.md`. Files they mention as `@path` follow the file that
 * mentions them; files mentioned by those do not.
 */
export function readInstructions(places: InstructionPlaces): Instructions {
  return assembleInstructions(findInstructions(places));
}

/** A file as it stands, before anything is cut. */
export interface InstructionFile {
  source: InstructionSource;
  text: string;
}

export interface FoundInstructions {
  found: readonly InstructionFile[];
  notes: readonly string[];
}

/** The files, in the order in which a model reads them. */
export function findInstructions({ root, cwd, config, isProtected }: InstructionPlaces): FoundInstructions {
  const reader: Reader = {
    root: realRoot(root),
    isProtected: isProtected ?? (() => false),
    seen: new Set(),
    references: 0,
    found: [],
    notes: [],
  };
  for (const folder of foldersBetween(reader.root, realRoot(cwd))) readProjectFile(reader, folder);
  readPersonalFile(reader, join(config, "AGENTS.md"));
  return { found: reader.found, notes: reader.notes };
}

interface Reader {
  root: string;
  isProtected: (path: string) => boolean;
  /** Real paths: every file is given once. */
  seen: Set<string>;
  references: number;
  found: InstructionFile[];
  notes: string[];
}

function realRoot(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** The root, then each folder on the way down to `cwd`. Outside the root there is no way. */
function foldersBetween(root: string, cwd: string): string[] {
  const folders = [root];
  if (!isInside(root, cwd)) return folders;
  let folder = root;
  for (const name of relative(root, cwd).split(sep).filter(Boolean)) {
    folder = join(folder, name);
    folders.push(folder);
  }
  return folders;
}

function readProjectFile(reader: Reader, folder: string): void {
  for (const name of NAMES) {
    const path = join(folder, name);
    const real = resolveFile(reader, path);
    if (real.type === "missing") continue;
    if (real.type === "found") readWithReferences(reader, "project", real.path);
    return;
  }
}

function readPersonalFile(reader: Reader, path: string): void {
  try {
    readWithReferences(reader, "personal", realpathSync(path));
  } catch (error) {
    if (!isMissing(error)) reader.notes.push(fileFailure(path, error, "read").message);
  }
}

type Resolved = { type: "found"; path: string } | { type: "missing" } | { type: "refused" };

/** The real path of a file of the project. Protected files and links that lead out of the project are refused with a note. */
function resolveFile(reader: Reader, path: string): Resolved {
  try {
    const real = realpathSync(path);
    if (isInside(reader.root, real) && !reader.isProtected(real)) return { type: "found", path: real };
    const reason = isInside(reader.root, real) ? "it is a protected file" : "it leads out of the project";
    reader.notes.push(`${shown(reader, path)} was left out: ${reason}.`);
    return { type: "refused" };
  } catch (error) {
    if (isMissing(error)) return { type: "missing" };
    reader.notes.push(fileFailure(shown(reader, path), error, "read").message);
    return { type: "refused" };
  }
}

function readWithReferences(reader: Reader, kind: "project" | "personal", path: string): void {
  const text = readOnce(reader, kind, path);
  if (text === undefined) return;
  for (const reference of fileReferences(text)) readReference(reader, dirname(path), reference);
}

function readReference(reader: Reader, folder: string, reference: string): void {
  const path = resolve(folder, reference);
  const real = resolveFile(reader, path);
  if (real.type === "missing" && looksLikeFile(reference)) {
    reader.notes.push(`@${reference} was left out: there is no such file.`);
  }
  if (real.type !== "found" || reader.seen.has(real.path)) return;
  if (reader.references >= MAX_REFERENCES) {
    reader.notes.push(`@${reference} was left out: the limit is ${MAX_REFERENCES} mentioned files.`);
    return;
  }
  reader.references += 1;
  readOnce(reader, "reference", real.path);
}

/** A name like `@types/node` is a package, not a mistake. */
function looksLikeFile(reference: string): boolean {
  return reference.startsWith("./") || reference.startsWith("../") || /\.[a-z]{1,5}$/i.test(basename(reference));
}

function readOnce(reader: Reader, kind: InstructionSource["kind"], path: string): string | undefined {
  if (reader.seen.has(path)) return undefined;
  reader.seen.add(path);
  const file = readTextFile(path, { maxBytes: MAX_FILE_BYTES });
  const name = kind === "personal" ? path : shown(reader, path);
  if (!file.ok) {
    reader.notes.push(`${file.message.replace(path, () => name)} It was left out.`);
    return undefined;
  }
  const text = file.text.replace(/^\uFEFF/, "").trim();
  if (text !== "") reader.found.push({ source: { kind, path: name }, text });
  return text;
}

export function assembleInstructions({ found, notes }: FoundInstructions): Instructions {
  const result: Instructions = { text: "", sources: [], notes: [...notes] };
  let left = MAX_INSTRUCTION_BYTES;
  for (const { source, text } of found) {
    if (left === 0) {
      result.notes.push(`${source.path} was left out: instructions may have ${MAX_INSTRUCTION_BYTES} bytes.`);
      continue;
    }
    const part = cut(text, left);
    left = part.length === text.length ? left - Buffer.byteLength(text) : 0;
    if (part.length < text.length) {
      result.notes.push(`${source.path} was cut: instructions may have ${MAX_INSTRUCTION_BYTES} bytes.`);
    }
    result.sources.push(source);
    result.text += `${result.text === "" ? "" : "\n\n"}${wrapped(source, part, part.length < text.length)}`;
  }
  return result;
}

function wrapped({ kind, path }: InstructionSource, text: string, isCut: boolean): string {
  const tag = kind === "reference" ? "file" : "instructions";
  const ending = isCut ? `\n[cut here: instructions may have ${MAX_INSTRUCTION_BYTES} bytes]` : "";
  return `<${tag} path="${attribute(path)}">\n${text}${ending}\n</${tag}>`;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

function attribute(path: string): string {
  return path.replace(/[&"<>]/g, (character) => ESCAPES[character] ?? "").replace(/\p{Cc}/gu, "?");
}

/** The beginning of the text that has at most so many bytes, without half a character. */
function cut(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read === text.length ? text : text.slice(0, read);
}

function shown(reader: Reader, path: string): string {
  return relative(reader.root, path).split(sep).join("/");
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}
