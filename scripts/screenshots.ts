// Pictures of the main screens for the documentation: Ralph itself plays scripts in an emulated terminal, and the cells of its screen
// become docs/images/*.svg. `node bin/bun.mjs scripts/screenshots.ts [FOLDER]` writes them elsewhere.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ScriptTurn } from "../src/protocol/script.ts";
import { type ConversationTerminal, startConversation } from "../test/support/conversation-terminal.ts";
import type { ShownCell } from "../test/support/emulated-terminal.ts";
import { tempWorkspace } from "../test/support/temp-workspace.ts";

const PARSER = `// Reads a row of a table.
export function parse(text: string): string[] {
  return text.split(",");
}
`;

const TURNS: ScriptTurn[] = [
  {
    steps: [
      { thinking: "The parser splits at every comma, also inside of quotes." },
      { text: "The parser splits at every comma, also between quotes. I change that first." },
      { tool: { name: "read_file", input: { path: "src/parser.ts" } } },
      {
        tool: {
          name: "edit_file",
          input: {
            path: "src/parser.ts",
            old_string: '  return text.split(",");',
            new_string: "  // Quotes hold commas together.\n  return splitQuoted(text);",
          },
        },
      },
      { usage: { input: 8400, output: 210 } },
    ],
  },
  {
    steps: [
      {
        text: [
          "Done. What is different now:\n\n",
          '| text | before | now |\n|---|--:|--:|\n| `a,b` | 2 | 2 |\n| `a,"b,c"` | 3 | **2** |\n\n',
          "1. commas between quotes stay\n2. a quote that is never closed is an error\n\n",
          "Next I would run the tests.",
        ],
      },
      { usage: { input: 9100, output: 160 } },
    ],
  },
  {
    steps: [
      { text: "All tests pass. I push the branch." },
      { tool: { name: "shell", input: { command: "git push origin quotes" } } },
      { usage: { input: 9400, output: 40 } },
    ],
  },
];

const SIZE = { columns: 92, rows: 30 };

interface Picture {
  name: string;
  cells: ShownCell[][];
  /** Undefined while it is hidden. */
  cursor: { row: number; column: number } | undefined;
}

async function writePictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const picture of [...(await conversation()), await loop()])
    writeFileSync(join(folder, `${picture.name}.svg`), svgOf(picture));
}

async function conversation(): Promise<Picture[]> {
  await using workspace = tempWorkspace();
  workspace.write("project/src/parser.ts", PARSER);
  workspace.write("ralph-home/config/models.yml", modelsFile(workspace.write("play.json", scriptOf(TURNS))));
  // No request is made: with a key its models can be chosen.
  const environment = { ANTHROPIC_API_KEY: "for-the-picture" };
  await using ralph = startConversation(["--model", "acme/large-1"], { ...SIZE, workspace, environment });
  await ralph.seeOnScreen(/^acme\/large-1/m);
  ralph.type("make the parser respect quotes\r");
  await ralph.seeOnScreen(/yes, once[\s\S]*waiting for you/);
  ralph.type("\ty");
  await ralph.seeOnScreen(/run the tests\.\n[\s\S]*^acme\/large-1.*18k in/m);
  const pictures = [await take("conversation", ralph)];
  ralph.type("/model\r");
  await ralph.seeOnScreen("Esc close");
  ralph.type("sonnet");
  await ralph.seeOnScreen(/\/sonnet[\s\S]*Esc close/);
  pictures.push(await take("picker", ralph));
  ralph.type("\x1b");
  await ralph.gone("Esc close");
  ralph.type("test it and push it\r");
  await ralph.seeOnScreen(/git push[\s\S]*yes, once[\s\S]*waiting for you/);
  pictures.push(await take("ask", ralph));
  return pictures;
}

function scriptOf(turns: readonly ScriptTurn[]): string {
  return JSON.stringify({ version: 1, turns });
}

function modelsFile(baseUrl: string): string {
  const models = [{ id: "large-1", contextWindow: 200_000, reasoning: true }];
  return JSON.stringify({ providers: { acme: { api: "scripted", auth: "none", baseUrl, models } } });
}

/** The demonstration of the loop, while its second story is worked on. */
async function loop(): Promise<Picture> {
  await using workspace = tempWorkspace();
  const options = { ...SIZE, rows: 34, workspace, lifetimeMs: 120_000 };
  await using ralph = startConversation(["demo"], options);
  await ralph.seeOnScreen(/done|proven/i);
  return take("loop", ralph);
}

async function take(name: string, { emulator }: ConversationTerminal): Promise<Picture> {
  const written = emulator.written();
  const isCursorShown = written.lastIndexOf("\x1b[?25h") > written.lastIndexOf("\x1b[?25l");
  const cells = (await emulator.cells()).map(withoutPlace);
  return { name, cells, cursor: isCursorShown ? await emulator.cursor() : undefined };
}

/** Folders of this machine are none of the reader's business. */
function withoutPlace(row: readonly ShownCell[]): ShownCell[] {
  const text = row.map((cell) => cell.text).join("");
  const [path] = /\/[^\s:?]*ralph-test-[^\s:?]*/.exec(text) ?? [];
  if (path === undefined) return [...row];
  const start = text.indexOf(path);
  const shown = path.endsWith("script.yml") ? "scripted/demo" : "~/shop";
  const inside = row.slice(start, start + shown.length).map((cell, at) => ({ ...cell, text: shown[at] ?? " " }));
  return [...row.slice(0, start), ...inside, ...row.slice(start + path.length)];
}

const CELL = { width: 8.43, height: 19 };
const MARGIN = 14;
const BACKGROUND = "#0d1117";
const FOREGROUND = "#d6dde5";
/** The sixteen colours of a dark terminal. */
const PALETTE = [
  ...["#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#c9d1d9"],
  ...["#6e7681", "#ffa198", "#a5f3b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#a5f0f5", "#f0f6fc"],
];

function svgOf({ cells, cursor }: Picture): string {
  const used = cells.findLastIndex((row) => row.some(({ text }) => text !== " ")) + 1;
  const width = Math.ceil(SIZE.columns * CELL.width + 2 * MARGIN);
  const height = used * CELL.height + 2 * MARGIN;
  const rows = cells.slice(0, used).flatMap((row, index) => rowOf(row, MARGIN + index * CELL.height));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    ...(cursor === undefined ? [] : [cursorOf(cursor)]),
    ...rows,
    "</svg>\n",
  ].join("\n");
}

function cursorOf({ row, column }: { row: number; column: number }): string {
  const top = MARGIN + row * CELL.height + 2;
  return `<rect x="${place(column)}" y="${top}" width="${CELL.width}" height="${CELL.height - 3}" fill="${FOREGROUND}" opacity="0.6"/>`;
}

function place(column: number): string {
  return (MARGIN + column * CELL.width).toFixed(1);
}

/** Neighbours that look the same stand in one piece, which begins at its own cell. */
function rowOf(row: readonly ShownCell[], top: number): string[] {
  const pieces: { start: number; text: string; look: string }[] = [];
  for (const [column, cell] of row.entries()) {
    const look = lookOf(cell);
    const last = pieces.at(-1);
    if (last?.look === look) last.text += cell.text;
    else pieces.push({ start: column, text: cell.text, look });
  }
  return pieces
    .filter(({ text }) => text.trim() !== "")
    .map(({ start, text, look }) => {
      const shown = text.trimEnd();
      const length = ([...shown].length * CELL.width).toFixed(1);
      return `<text x="${place(start)}" y="${top + 14}" textLength="${length}" xml:space="preserve"${look}>${escaped(shown)}</text>`;
    });
}

function lookOf({ colour, isBold, isDim, isItalic, isUnderlined }: ShownCell): string {
  return [
    ` fill="${colourOf(colour)}"`,
    isBold ? ` font-weight="600"` : "",
    isDim ? ` opacity="0.6"` : "",
    isItalic ? ` font-style="italic"` : "",
    isUnderlined ? ` text-decoration="underline"` : "",
  ].join("");
}

function colourOf(colour: ShownCell["colour"]): string {
  if (colour === undefined) return FOREGROUND;
  if ("rgb" in colour) return `#${colour.rgb.toString(16).padStart(6, "0")}`;
  return PALETTE[colour.palette] ?? FOREGROUND;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

await writePictures(resolve(process.argv[2] ?? join(import.meta.dir, "../docs/images")));
