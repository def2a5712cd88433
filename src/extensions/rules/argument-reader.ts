// The arguments of a tool call are JSON that grows. Conditions see it with the escapes of its strings resolved, so that they find a
// text as it will be written; quotes and names stay. Pure: a state and a piece give a state and what was read.

export interface ArgumentState {
  readonly where: "outside" | "string" | "escape" | "unicode";
  /** The digits of `\u…` that have come. */
  readonly digits: string;
  /** The string that is read, as far as a path may go. */
  readonly string: string;
  /** The name in front of the value that comes next. */
  readonly name: string;
  /** The string before this place, which is a name if a colon follows. */
  readonly last: string;
}

export interface ReadArguments {
  state: ArgumentState;
  text: string;
  /** Paths that were complete, with where in `text` they ended. */
  paths: { path: string; end: number }[];
}

export const START_OF_ARGUMENTS: ArgumentState = { where: "outside", digits: "", string: "", name: "", last: "" };

/** What arguments of tools call the file they work on. */
const PATH_NAMES = new Set(["path", "file_path", "dir_path", "filepath", "filename", "file", "source", "destination"]);
const LONGEST_PATH = 4_096;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const UNICODE_DIGITS = 4;

export function readArguments(before: ArgumentState, piece: string): ReadArguments {
  const read: Reading = { ...before, text: "", paths: [] };
  for (let at = 0; at < piece.length; at++) step(read, piece[at] ?? "");
  const { text, paths, ...state } = read;
  return { state, text, paths };
}

type Reading = { -readonly [Key in keyof ArgumentState]: ArgumentState[Key] } & Omit<ReadArguments, "state">;

function step(read: Reading, character: string): void {
  switch (read.where) {
    case "outside":
      return outside(read, character);
    case "string":
      if (character === "\\") read.where = "escape";
      else if (character === '"') endString(read);
      else add(read, character);
      return;
    case "escape":
      if (character === "u") {
        read.where = "unicode";
        read.digits = "";
      } else {
        read.where = "string";
        add(read, ESCAPES[character] ?? character);
      }
      return;
    case "unicode":
      return unicode(read, character);
  }
}

function outside(read: Reading, character: string): void {
  read.text += character;
  if (character === '"') {
    read.where = "string";
    read.string = "";
  } else if (character === ":") {
    read.name = read.last;
  } else if (character === "," || character === "{" || character === "}") {
    read.name = "";
  }
}

function endString(read: Reading): void {
  read.text += '"';
  read.where = "outside";
  read.last = read.string;
  if (PATH_NAMES.has(read.name) && read.string !== "") read.paths.push({ path: read.string, end: read.text.length });
}

function unicode(read: Reading, character: string): void {
  read.digits += character;
  if (read.digits.length < UNICODE_DIGITS) return;
  read.where = "string";
  const code = Number.parseInt(read.digits, 16);
  add(read, Number.isNaN(code) ? read.digits : String.fromCharCode(code));
}

function add(read: Reading, character: string): void {
  read.text += character;
  if (read.string.length < LONGEST_PATH) read.string += character;
}
