import type { Tool, ToolOutput } from "../protocol/tool-runs.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput } from "./define-tool.ts";
import { readContent } from "./file-content.ts";
import { named, text } from "./input-fields.ts";
import { mediaTypeOf } from "./media-type.ts";
import { missingOutput } from "./missing-file.ts";
import { preparePicture } from "./prepare-picture.ts";
import type { ResolvedPath } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";
import description from "./view-image.md" with { type: "text" };

const ADDRESS = /^(https?|data|file):/i;

export function viewImageTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "view_image",
    aliases: ["read_image"],
    description,
    isReadOnly: true,
    fields: { path: named(text("Picture file"), "file_path", "image_path") },
    paths: ({ path }) => (ADDRESS.test(path) ? [] : [{ path, access: ["read"] }]),
    summary: ([shown]) => `Look at ${shown}`,
    async run({ paths: [place] }) {
      if (place === undefined)
        return failedOutput("view_image takes the path of a file, not an address. Save the picture to a file first.");
      if (place.kind === "directory") return failedOutput(`${place.shown} is a directory. Use list_dir.`);
      if (place.kind === "missing") return missingOutput(place);
      const content = await readContent(place);
      if (!content.ok) return failedOutput(content.message);
      if (mediaTypeOf(content.bytes) === "application/pdf")
        return failedOutput(`${place.shown} is a PDF. Use read_file.`);
      return pictureOutput(place, content.bytes);
    },
  });
}

/** The picture as a part the model can look at, and a line about it. */
export async function pictureOutput(place: ResolvedPath, bytes: Uint8Array): Promise<ToolOutput> {
  const picture = await preparePicture(bytes);
  if (!picture.ok) return failedOutput(`${place.shown} cannot be shown: ${picture.reason}.`);
  const { mediaType, data, description, sentBytes } = picture;
  return {
    content: [
      { type: "text", text: `${place.shown} (${description})` },
      { type: "image", mediaType, data },
    ],
    details: { path: place.path, media_type: mediaType, bytes: bytes.length, sent_bytes: sentBytes },
  };
}
