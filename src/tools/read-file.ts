import type { HostContent } from "../protocol/host-schemes.ts";
import type { Tool, ToolOutput } from "../protocol/tool-runs.ts";
import { contentHash } from "./content-hash.ts";
import { currentContent } from "./current-content.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import type { FileContent } from "./file-content.ts";
import { integer, named, optional, text } from "./input-fields.ts";
import { anchoredLine } from "./line-anchors.ts";
import { mediaTypeOf } from "./media-type.ts";
import { missingOutput } from "./missing-file.ts";
import description from "./read-file.md" with { type: "text" };
import type { ResolvedPath } from "./resolve-path.ts";
import { linesOf, textContent } from "./text-content.ts";
import type { ToolWorld } from "./tool-world.ts";
import { pictureOutput } from "./view-image.ts";

/** 64,000 tokens at about four characters each, half for the beginning and half for the end. */
const MAXIMUM_CHARACTERS = 256_000;
const MAXIMUM_LINE_CHARACTERS = 16_000;
const MAXIMUM_PDF_BYTES = 20_000_000;

interface LineRange {
  start_line: number | undefined;
  end_line: number | undefined;
}

export function readFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "read_file",
    aliases: ["read", "cat"],
    description,
    isReadOnly: true,
    fields: {
      path: named(text(), "file_path"),
      start_line: optional(integer("First line, from 1", { minimum: 1 })),
      end_line: optional(integer("Last line", { minimum: 1 })),
    },
    paths: ({ path }) => [{ path, access: ["read"] }],
    summary: ([shown]) => `Read ${shown}`,
    async run({ input, paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "directory") return failedOutput(`${place.shown} is a directory. Use list_dir.`);
      if (place.kind === "missing") return missingOutput(place);
      const content = await currentContent(world, place);
      if (!content.ok) return failedOutput(content.message);
      const output = await outputOf(place, content, input);
      if (output.isError !== true) world.seen.remember(place.path, content.hash, content.bytes);
      return output;
    },
    async runHosted({ input, url, addresses }, { signal }) {
      const read = await addresses.read(url, signal);
      return read.ok ? hostedOutput(url, read, input) : failedOutput(read.message);
    },
  });
}

function hostedOutput(url: string, { content, contentType, notes = [] }: HostContent, range: LineRange): ToolOutput {
  const bytes = new TextEncoder().encode(content);
  const output = linesOutput({ path: url, shown: url }, { bytes, hash: contentHash(bytes) }, range);
  const type = contentType === undefined ? [] : [`content type: ${contentType}`];
  const remarks = [...type, ...notes].map((note) => ({ type: "text" as const, text: `(${note})` }));
  return output.isError === true ? output : { ...output, content: [...output.content, ...remarks] };
}

async function outputOf(place: ResolvedPath, content: FileContent, range: LineRange): Promise<ToolOutput> {
  const mediaType = mediaTypeOf(content.bytes);
  if (mediaType === "application/pdf") return pdfOutput(place, content, mediaType);
  if (mediaType !== undefined) return pictureOutput(place, content.bytes);
  if (content.bytes.includes(0))
    return failedOutput(
      `${place.shown} is a binary file of ${content.bytes.length} bytes. Inspect it with a shell command.`,
    );
  return linesOutput(place, content, range);
}

function pdfOutput(place: ResolvedPath, { bytes }: FileContent, mediaType: string): ToolOutput {
  if (bytes.length > MAXIMUM_PDF_BYTES)
    return failedOutput(
      `${place.shown} has ${bytes.length} bytes, more than the limit of ${MAXIMUM_PDF_BYTES} for PDFs. Make a smaller one first.`,
    );
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    content: [
      { type: "text", text: `${place.shown} (${mediaType}, ${bytes.length} bytes)` },
      { type: "image", mediaType, data },
    ],
    details: { path: place.path, media_type: mediaType, bytes: bytes.length },
  };
}

function linesOutput(
  place: Pick<ResolvedPath, "path" | "shown">,
  content: Pick<FileContent, "bytes" | "hash">,
  range: LineRange,
): ToolOutput {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content.bytes);
  const lines = linesOf(textContent(decoded).text);
  const start = range.start_line ?? 1;
  const end = Math.min(range.end_line ?? lines.length, lines.length);
  const total = `${lines.length} ${lines.length === 1 ? "line" : "lines"}`;
  if (start > Math.max(1, lines.length))
    return failedOutput(`${place.shown} has ${total}; start_line ${start} is past its end.`);
  if (range.end_line !== undefined && range.end_line < start)
    return failedOutput(`end_line ${range.end_line} is before start_line ${start}.`);
  const window = windowOf(lines, start, end);
  const notes = [
    ...(lines.length === 0 ? ["(empty file)"] : []),
    ...(end < lines.length || start > 1 ? [`(lines ${start}-${end} of ${lines.length})`] : []),
    ...(isValid(content.bytes) ? [] : ["(not valid UTF-8: what could not be read is shown as �; edits are refused)"]),
  ];
  return textOutput([...window.shown, ...notes].join("\n"), {
    path: place.path,
    total_lines: lines.length,
    range: [lines.length === 0 ? 0 : start, end],
    hash: content.hash,
    truncated: window.isCut,
  });
}

/** Head and tail of the range, within the bound; the note in between says how to read on. */
function windowOf(lines: readonly string[], start: number, end: number): { shown: string[]; isCut: boolean } {
  const head = takeLines(lines, { from: start, step: 1, until: end });
  if (head.next > end) return { shown: head.shown, isCut: head.isCut };
  const tail = takeLines(lines, { from: end, step: -1, until: head.next });
  const rest =
    tail.next >= head.next
      ? [`[… lines ${head.next}-${tail.next} left out; read on with start_line ${head.next} …]`]
      : [];
  return {
    shown: [...head.shown, ...rest, ...tail.shown.reverse()],
    isCut: rest.length > 0 || head.isCut || tail.isCut,
  };
}

function takeLines(
  lines: readonly string[],
  { from, step, until }: { from: number; step: 1 | -1; until: number },
): { shown: string[]; next: number; isCut: boolean } {
  const shown: string[] = [];
  let room = MAXIMUM_CHARACTERS / 2;
  let isCut = false;
  let next = from;
  for (; (until - next) * step >= 0; next += step) {
    const line = lines[next - 1] ?? "";
    const whole = anchoredLine(next, line);
    const text = line.length > MAXIMUM_LINE_CHARACTERS ? cutLine(whole) : whole;
    if (text.length + 1 > room) break;
    room -= text.length + 1;
    isCut ||= text !== whole;
    shown.push(text);
  }
  return { shown, next, isCut };
}

function cutLine(line: string): string {
  const kept = MAXIMUM_LINE_CHARACTERS / 2;
  const dropped = line.length - 2 * kept;
  return `${line.slice(0, kept)}[… ${dropped} characters left out …]${line.slice(-kept)}`;
}

function isValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
