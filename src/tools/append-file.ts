import type { Tool } from "../protocol/tool-runs.ts";
import description from "./append-file.md" with { type: "text" };
import { currentContent } from "./current-content.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { named, text } from "./input-fields.ts";
import { replaceFile } from "./replace-file.ts";
import type { ToolWorld } from "./tool-world.ts";

const MAXIMUM_APPENDED_BYTES = 10_000_000;

export function appendFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "append_file",
    description,
    isReadOnly: false,
    fields: { path: named(text("File"), "file_path"), content: text("Added as it is") },
    paths: ({ path }) => [{ path, access: ["write"] }],
    summary: ([shown], { content }) => `Append ${Buffer.byteLength(content)} bytes to ${shown}`,
    async run({ input, paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      const added = Buffer.from(input.content);
      if (added.length > MAXIMUM_APPENDED_BYTES)
        return failedOutput(
          `The content has ${added.length} bytes, more than the limit of ${MAXIMUM_APPENDED_BYTES} for one append. Append it in parts.`,
        );
      if (place.kind === "directory") return failedOutput(`${place.shown} is a directory. Give the path of a file.`);
      const previous = place.kind === "missing" ? undefined : await currentContent(world, place);
      if (previous?.ok === false) return failedOutput(previous.message);
      const bytes = Buffer.concat([previous?.bytes ?? new Uint8Array(), added]);
      const written = await replaceFile(world, { place, bytes, previous, hasBackup: false });
      if (!written.ok) return failedOutput(written.message);
      const details = { path: place.path, bytes_appended: added.length, size: bytes.length, hash: written.hash };
      return textOutput(`Appended ${added.length} bytes to ${place.shown}; it has ${bytes.length} now.`, details);
    },
  });
}
