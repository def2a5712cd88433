import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { asNumber, asString } from "../../protocol/json.ts";
import type { ToolCallPart, ToolResultMessage } from "../../protocol/messages.ts";

// What an editor shows of a tool call. Pure.

interface ToolRow {
  kind: ToolKind;
  verb: string;
  /** The fields that say what it is about, the first that is there counts. */
  subjects: readonly string[];
  names: readonly string[];
}

const PATH = ["path", "file_path", "dir_path", "image_path"];

const ROWS: readonly ToolRow[] = [
  { kind: "read", verb: "Read", subjects: PATH, names: ["read_file", "read", "cat", "view_image", "read_image"] },
  { kind: "read", verb: "Look at", subjects: PATH, names: ["file_info", "list_dir", "list_directory", "ls"] },
  { kind: "edit", verb: "Edit", subjects: PATH, names: ["edit_file", "edit", "apply_delta"] },
  { kind: "edit", verb: "Write", subjects: PATH, names: ["write_file", "write"] },
  { kind: "edit", verb: "Append to", subjects: PATH, names: ["append_file"] },
  { kind: "edit", verb: "Make", subjects: PATH, names: ["create_directory", "mkdir"] },
  { kind: "edit", verb: "Copy to", subjects: ["destination"], names: ["copy_file", "cp"] },
  { kind: "move", verb: "Move to", subjects: ["destination"], names: ["move_file", "mv"] },
  { kind: "delete", verb: "Delete", subjects: PATH, names: ["delete_file", "rm", "delete_directory", "rmdir"] },
  {
    kind: "search",
    verb: "Search for",
    subjects: ["pattern", "regex", "query"],
    names: ["search_files", "grep", "search_code", "search", "glob_files", "find", "glob"],
  },
  {
    kind: "execute",
    verb: "Run",
    subjects: ["command", "cmd"],
    names: ["shell", "bash", "execute_bash", "run_command"],
  },
  { kind: "execute", verb: "End", subjects: ["job_id", "id"], names: ["job_kill", "kill_job", "kill_shell"] },
  { kind: "read", verb: "Read output of", subjects: ["job_id", "id"], names: ["job_output", "bash_output"] },
  { kind: "fetch", verb: "Fetch", subjects: ["url"], names: ["web_fetch", "WebFetch", "fetch"] },
  { kind: "switch_mode", verb: "Switch to", subjects: ["mode", "name"], names: ["switch_mode"] },
  { kind: "think", verb: "Plan", subjects: [], names: ["update_plan", "TodoWrite", "todo_write", "set_todos"] },
];

const BY_NAME = new Map(ROWS.flatMap((row) => row.names.map((name) => [name, row] as const)));

export interface ToolShape {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
}

type Call = Pick<ToolCallPart, "name" | "input">;

export function shapeOf({ name, input }: Call, cwd: string): ToolShape {
  const row = BY_NAME.get(name);
  const subject = row?.subjects.map((field) => asString(input[field])).find((text) => text !== undefined);
  const title = row === undefined ? name : [row.verb, subject === undefined ? "" : quoted(subject)].join(" ").trim();
  return { title, kind: row?.kind ?? "other", locations: locationsOf(input, cwd) };
}

/** Whether two names are spellings of tools of one kind. */
export function isSameTool(one: string, other: string): boolean {
  const row = BY_NAME.get(one);
  return one === other || (row !== undefined && row === BY_NAME.get(other));
}

const SHOWN_CHARACTERS = 200;

/** Editors read titles as Markdown. */
function quoted(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  const line = rest.length > 0 || first.length > SHOWN_CHARACTERS ? `${first.slice(0, SHOWN_CHARACTERS)} …` : first;
  return line.includes("`") ? line : `\`${line}\``;
}

const PLACES = [...PATH, "source", "destination"];

function locationsOf(input: Call["input"], cwd: string): ToolCallLocation[] {
  const line = asNumber(input.start_line);
  return PLACES.flatMap((field) => {
    const path = asString(input[field]);
    if (path === undefined || path === "" || path.startsWith("~") || /^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return [];
    return [{ path: isAbsolute(path) ? path : resolve(cwd, path), ...(line === undefined ? {} : { line }) }];
  });
}

const WHOLE_FILE = new Set(["write_file", "write"]);
const CHANGES = new Set([...WHOLE_FILE, "edit_file", "edit", "apply_delta", "append_file"]);

/** The file whose content a call changes, absolute. */
export function changedFile(call: Call, cwd: string): string | undefined {
  return CHANGES.has(call.name) ? shapeOf(call, cwd).locations[0]?.path : undefined;
}

/** What a call would change, as far as it says so itself. `before` is what stands there now, where it is known. */
export function plannedDiff({ name, input }: Call, path: string, before: string | undefined): ToolCallContent[] {
  const oldText = asString(input.old_string) ?? asString(input.old_text);
  const newText = asString(input.new_string) ?? asString(input.new_text);
  if (oldText !== undefined && newText !== undefined) return [{ type: "diff", path, oldText, newText }];
  const content = asString(input.content);
  if (!WHOLE_FILE.has(name) || content === undefined) return [];
  return [{ type: "diff", path, ...(before === undefined ? {} : { oldText: before }), newText: content }];
}

export function resultContent({ content }: Pick<ToolResultMessage, "content">): ToolCallContent[] {
  return content.flatMap((part): ToolCallContent[] => {
    if (part.type === "image")
      return [{ type: "content", content: { type: "image", data: part.data, mimeType: part.mediaType } }];
    return part.text === "" ? [] : [{ type: "content", content: { type: "text", text: part.text } }];
  });
}
