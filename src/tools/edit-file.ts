import type { Tool } from "../protocol/tool-runs.ts";
import { ANCHOR_ACTIONS, planAnchoredEdits } from "./anchored-edit.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput } from "./define-tool.ts";
import { type EditJob, runEdit } from "./edit-core.ts";
import description from "./edit-file.md" with { type: "text" };
import { flag, type InputOf, listOf, named, objectOf, oneOf, optional, text } from "./input-fields.ts";
import { planStringEdit } from "./string-edit.ts";
import type { ToolWorld } from "./tool-world.ts";

const MAXIMUM_EDITS = 500;

const FIELDS = {
  path: named(text(), "file_path"),
  old_string: optional(named(text("Exact text, whitespace included"), "old_text")),
  new_string: optional(named(text(), "new_text")),
  replace_all: optional(flag()),
  edits: optional(
    listOf(
      objectOf(
        {
          anchor: text("LINE:hh"),
          end_anchor: optional(text("Last line of a range")),
          action: oneOf(ANCHOR_ACTIONS, ""),
          content: optional(text()),
        },
        "",
      ),
      "Instead of old_string",
      MAXIMUM_EDITS,
    ),
  ),
};

export function editFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "edit_file",
    aliases: ["edit"],
    description,
    isReadOnly: false,
    fields: FIELDS,
    paths: ({ path }) => [{ path, access: ["read", "write"] }],
    summary: ([shown]) => `Edit ${shown}`,
    async run({ input, paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      const way = wayOf(input);
      if ("message" in way) return failedOutput(way.message);
      return runEdit(world, { place, hasBackup: false, needsSeenContent: false, ...way });
    },
  });
}

type Way = Pick<EditJob, "plan" | "words"> | { message: string };

function wayOf({ old_string, new_string, replace_all, edits }: InputOf<typeof FIELDS>): Way {
  // Models fill in what they do not use: an empty list beside a string means nothing.
  if (edits !== undefined && (edits.length > 0 || old_string === undefined)) {
    if (old_string !== undefined && old_string !== "")
      return { message: "Give either old_string and new_string, or edits, not both." };
    return { words: edits.map(({ content }) => content ?? ""), plan: (content) => planAnchoredEdits(content, edits) };
  }
  if (old_string === undefined || new_string === undefined)
    return { message: "Give old_string and new_string, or edits with anchors." };
  const edit = { old_string, new_string, replace_all: replace_all ?? false };
  return { words: [old_string, new_string], plan: (content) => planStringEdit(content, edit) };
}
