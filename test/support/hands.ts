import { rmSync } from "node:fs";
import { join } from "node:path";
import { startConversation } from "./conversation-terminal.ts";
import { NO_SERVERS } from "./front-door.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

// Hands on a keyboard, whatever the terminal is: an emulator that sends the keys of the Kitty protocol, or tmux with its own.

export interface Hands {
  /** A chord in the spelling of the toolkit: `ctrl+shift+p`. */
  press(...chords: string[]): Promise<void>;
  type(text: string): Promise<void>;
  see(pattern: RegExp | string): Promise<string>;
  gone(pattern: RegExp | string): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TmuxHands extends Hands {
  resize(columns: number, rows: number): Promise<void>;
  /** Scrollback and screen, wrapped rows joined again. */
  lines(): Promise<string[]>;
}

export interface HandsOptions {
  workspace: TempWorkspace;
  environment: Record<string, string>;
}

const SIZE = { columns: 100, rows: 40 };
/** A shell that is as empty as can be, in which Ralph is put into the background and brought back. */
const SHELL = ["bash", "--norc", "--noprofile", "-i"];

export async function handsOnEmulator({ workspace, environment }: HandsOptions): Promise<Hands> {
  const terminal = startConversation([], {
    ...SIZE,
    workspace,
    command: SHELL,
    environment: { ...environment, PS1: "shell> " },
    lifetimeMs: 60_000,
  });
  await terminal.seeOnScreen("shell>");
  return {
    async press(...chords) {
      for (const chord of chords) terminal.type(bytesOf(chord));
    },
    type: async (text) => terminal.type(text),
    see: (pattern) => terminal.seeOnScreen(pattern),
    gone: (pattern) => terminal.gone(pattern),
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

export const tmuxProgram = Bun.which("tmux");

/** Extended keys are switched on: without them tmux has no Ctrl+Enter and no Ctrl+Shift+P, as no old terminal has. */
export async function handsOnTmux({ workspace, environment }: HandsOptions): Promise<TmuxHands> {
  const socket = join(workspace.root, "tmux.sock");
  const env = { ...workspace.environment, ...NO_SERVERS, ...environment, TERM: "xterm-256color" };
  const tmux = async (...words: string[]) => {
    const child = Bun.spawn(["tmux", "-f", "/dev/null", "-S", socket, ...words], { env, stderr: "pipe" });
    const [text, problem, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`tmux ${words.join(" ")}: ${problem}`);
    return text;
  };
  const size = ["-x", String(SIZE.columns), "-y", String(SIZE.rows)];
  const shell = `env -u NO_COLOR PS1='shell> ' ${SHELL.join(" ")}`;
  await tmux("new-session", "-d", "-s", "one", ...size, "-c", workspace.project, shell);
  await tmux("set-option", "-s", "extended-keys", "on");
  const screen = async () => (await tmux("capture-pane", "-p", "-t", "one")).trimEnd();
  const wait = async (isIt: (text: string) => boolean, what: string) => {
    for (const until = performance.now() + PATIENCE_MS; ; await Bun.sleep(POLL_MS)) {
      const text = await screen();
      if (isIt(text)) return text;
      if (performance.now() > until) throw new Error(`${what} did not come about. The screen:\n${text}`);
    }
  };
  const end = async () => void (await tmux("kill-server").catch(() => undefined));
  await wait((text) => text.includes("shell>"), "a shell").catch(async (error: Error) => {
    await end();
    throw error;
  });
  return {
    press: async (...chords) => void (await tmux("send-keys", "-t", "one", ...chords.map(tmuxKey))),
    type: async (text) => void (await tmux("send-keys", "-t", "one", "-l", text)),
    see: (pattern) => wait((text) => text.search(pattern) >= 0, String(pattern)),
    gone: (pattern) => wait((text) => text.search(pattern) < 0, `a screen without ${pattern}`),
    async resize(columns, rows) {
      await tmux("resize-window", "-t", "one", "-x", String(columns), "-y", String(rows));
    },
    lines: async () => (await tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "one")).trimEnd().split("\n"),
    [Symbol.asyncDispose]: async () => {
      await end();
      rmSync(socket, { force: true });
    },
  };
}

const PATIENCE_MS = 10_000;
const POLL_MS = 15;

interface Key {
  modifiers: readonly string[];
  name: string;
}

function readKey(chord: string): Key {
  const parts = chord === "+" ? ["+"] : chord.split("+");
  return { modifiers: parts.slice(0, -1), name: parts.at(-1) ?? "" };
}

const MODIFIERS: Record<string, { bit: number; tmux: string }> = {
  shift: { bit: 1, tmux: "S-" },
  alt: { bit: 2, tmux: "M-" },
  ctrl: { bit: 4, tmux: "C-" },
};

const KEYS: Record<string, { code?: number; final?: string; tilde?: number; tmux: string }> = {
  enter: { code: 13, tmux: "Enter" },
  escape: { code: 27, tmux: "Escape" },
  tab: { code: 9, tmux: "Tab" },
  backspace: { code: 127, tmux: "BSpace" },
  up: { final: "A", tmux: "Up" },
  down: { final: "B", tmux: "Down" },
  right: { final: "C", tmux: "Right" },
  left: { final: "D", tmux: "Left" },
  home: { final: "H", tmux: "Home" },
  end: { final: "F", tmux: "End" },
  delete: { tilde: 3, tmux: "DC" },
  "page-up": { tilde: 5, tmux: "PPage" },
  "page-down": { tilde: 6, tmux: "NPage" },
};

function bytesOf(chord: string): string {
  const { modifiers, name } = readKey(chord);
  const { code = name.codePointAt(0) ?? 0, final, tilde } = KEYS[name] ?? {};
  const bits = 1 + modifiers.reduce((sum, modifier) => sum + (MODIFIERS[modifier]?.bit ?? 0), 0);
  if (final !== undefined) return `\x1b[1;${bits}${final}`;
  if (modifiers.length === 0 && KEYS[name]?.code !== undefined && name !== "escape") return String.fromCodePoint(code);
  if (tilde !== undefined) return `\x1b[${tilde};${bits}~`;
  return `\x1b[${code};${bits}u`;
}

function tmuxKey(chord: string): string {
  const { modifiers, name } = readKey(chord);
  if (chord === "shift+tab") return "BTab";
  const isLetter = /^[a-z]$/.test(name) && modifiers.includes("shift");
  const held = modifiers.filter((modifier) => !(isLetter && modifier === "shift" && !modifiers.includes("ctrl")));
  const prefix = ["ctrl", "alt", "shift"].flatMap((one) => (held.includes(one) ? (MODIFIERS[one]?.tmux ?? []) : []));
  return `${prefix.join("")}${KEYS[name]?.tmux ?? (isLetter && !held.includes("shift") ? name.toUpperCase() : name)}`;
}
