import type { Tool, ToolOutput } from "../protocol/tool-runs.ts";
import { currentContent } from "./current-content.ts";
import { defineFileTool, type PinnedPath } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { changeOutput } from "./edit-core.ts";
import { type FileContent, MAXIMUM_FILE_BYTES } from "./file-content.ts";
import { flag, named, optional, text } from "./input-fields.ts";
import { replaceFile } from "./replace-file.ts";
import { decodeText, linesOf } from "./text-content.ts";
import type { ToolWorld } from "./tool-world.ts";
import { strangeMark } from "./truncation-marks.ts";
import description from "./write-file.md" with { type: "text" };

export function writeFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "write_file",
    aliases: ["write"],
    description,
    isReadOnly: false,
    fields: {
      path: named(text(), "file_path"),
      content: text(),
      backup: optional(flag("Keep a copy of the old file")),
    },
    paths: ({ path }) => [{ path, access: ["write"] }],
    summary: ([shown], { content }) => `Write ${shown} (${Buffer.byteLength(content)} bytes)`,
    async run({ input, paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      const tooLong = lengthProblem(input.content);
      if (tooLong !== undefined) return failedOutput(tooLong);
      if (place.kind === "directory") return failedOutput(`${place.shown} is a directory. Give the path of a file.`);
      if (place.kind === "missing") return create(world, place, input.content);
      const previous = await currentContent(world, place);
      if (!previous.ok) return failedOutput(previous.message);
      return overwrite(world, { place, previous, content: input.content, hasBackup: input.backup ?? false });
    },
    async runHosted({ input: { content }, url, addresses }, { signal }) {
      const tooLong = lengthProblem(content);
      if (tooLong !== undefined) return failedOutput(tooLong);
      const written = await addresses.write(url, content, signal);
      if (!written.ok) return failedOutput(written.message);
      const bytes = Buffer.byteLength(content);
      return textOutput(`Wrote ${url} (${linesOf(content).length} lines, ${bytes} bytes).`, {
        path: url,
        bytes_written: bytes,
      });
    },
  });
}

function lengthProblem(content: string): string | undefined {
  const bytes = Buffer.byteLength(content);
  return bytes > MAXIMUM_FILE_BYTES
    ? `The content has ${bytes} bytes, more than the limit of ${MAXIMUM_FILE_BYTES}.`
    : undefined;
}

async function create(world: ToolWorld, place: PinnedPath, content: string): Promise<ToolOutput> {
  const bytes = new TextEncoder().encode(content);
  const written = await replaceFile(world, { place, bytes, previous: undefined, hasBackup: false });
  if (!written.ok) return failedOutput(written.message);
  const details = { path: place.path, bytes_written: bytes.length, created: true, hash: written.hash };
  return textOutput(`Created ${place.shown} (${linesOf(content).length} lines, ${bytes.length} bytes).`, details);
}

interface Overwriting {
  place: PinnedPath;
  previous: FileContent;
  content: string;
  hasBackup: boolean;
}

/** A file nobody showed to the model, or that somebody changed since, would be lost without anyone having looked at it. */
async function overwrite(world: ToolWorld, { place, previous, content, hasBackup }: Overwriting): Promise<ToolOutput> {
  const seen = world.seen.hashOf(place.path);
  const isEmpty = previous.bytes.length === 0;
  if (seen === undefined && !isEmpty)
    return failedOutput(`${place.shown} exists and you have not read it. Read it first, or change it with edit_file.`);
  if (seen !== undefined && seen !== previous.hash)
    return failedOutput(`${place.shown} has changed since you last read or wrote it. Read it again first.`);
  const before = decodeText(previous.bytes);
  const mark = strangeMark([content], before?.text ?? "");
  if (mark !== undefined && !isEmpty)
    return failedOutput(
      `"${mark}" stands for text that was left out; it is not in ${place.shown}. Give the real text.`,
    );
  const bytes = new TextEncoder().encode(content);
  const written = await replaceFile(world, { place, bytes, previous, hasBackup });
  if (!written.ok) return failedOutput(written.message);
  world.seen.remember(place.path, written.hash, bytes);
  const details = { ...written, ok: undefined, bytes_written: bytes.length, created: false };
  return changeOutput({ place, before: before?.raw ?? "", after: content }, details);
}
