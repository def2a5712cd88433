import { createKeyReader } from "../tui/keys/key-reader.ts";
import { createScreen } from "../tui/screen/create-screen.ts";
import { createFramePacer } from "../tui/screen/frame-pacer.ts";
import { App } from "./app.ts";
import { AGENT_COMMANDS } from "./commands/agent-commands.ts";
import { KEY_COMMANDS } from "./commands/key-commands.ts";
import { SCREEN_COMMANDS } from "./commands/screen-commands.ts";
import { SESSION_COMMANDS } from "./commands/session-commands.ts";
import type { KeyMap } from "./keys/key-map.ts";
import type { InteractiveServices, OpenedAgent } from "./services.ts";
import type { Looks, TerminalPort } from "./terminal-port.ts";

export interface InteractiveOptions {
  terminal: TerminalPort;
  looks: Looks;
  agent: OpenedAgent;
  services: InteractiveServices;
  keys: KeyMap;
  /** Lines shown before anything else. */
  greeting: readonly string[];
}

export interface InteractiveRun {
  /** Resolves when the person has left; the terminal is given back by then. */
  ended: Promise<void>;
  /** Leaves, as if the person had asked for it. */
  stop(): void;
  /** Whether an answer that broke off may begin anew. */
  mayRestart(): boolean;
}

const FRAME_MS = 33;
const MOVING_MS = 100;
const ESCAPE_MS = 50;

/** The conversation in a terminal, until the person leaves. Nothing is drawn and no timer runs while nothing happens. */
export async function runInteractive(options: InteractiveOptions): Promise<InteractiveRun> {
  const { terminal, looks, services } = options;
  const ended = Promise.withResolvers<void>();
  const [history, draft] = await Promise.all([services.loadHistory(), services.loadDraft()]);
  const modes = { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: false };
  const screen = createScreen({
    write: terminal.write,
    size: terminal.size,
    print: looks.print,
    modes,
    reflow: () => looks.reflow,
    setTimer: terminal.setTimer,
    isPlain: looks.isPlain,
  });
  const show = () => {
    const size = terminal.size();
    screen.commit(app.takeFinished(size));
    const { lines, cursor } = app.frame(size);
    screen.draw(lines, cursor);
    if (app.isMoving) movement.keep();
  };
  const pacer = createFramePacer({ frame: show, intervalMs: FRAME_MS, now: terminal.now, setTimer: terminal.setTimer });
  const movement = createMovement(terminal, () => pacer.request());
  const app = new App({
    agent: options.agent,
    services,
    keys: options.keys,
    commands: [...SCREEN_COMMANDS, ...AGENT_COMMANDS, ...SESSION_COMMANDS, ...KEY_COMMANDS],
    history,
    draft,
    theme: looks.theme,
    hasAsciiGlyphs: looks.hasAsciiGlyphs,
    hasLinks: looks.print.hasLinks,
    now: terminal.now,
    changed: (when) => (when === "at-once" ? pacer.showNow() : pacer.request()),
    onSuspend: () => void suspend(),
    onExit: () => ended.resolve(),
  });
  const suspend = async () => {
    screen.suspend();
    terminal.setRaw(false);
    await terminal.suspend();
    terminal.setRaw(true);
    screen.resume();
  };
  const keys = createKeyReader({
    onEvent: (event) => app.onInput(event),
    escapeMs: ESCAPE_MS,
    setTimer: terminal.setTimer,
  });
  const stops = [
    terminal.onInput((bytes) => keys.feed(bytes)),
    terminal.onResize(() => {
      screen.resized();
      pacer.request();
    }),
    terminal.onDrain(() => screen.drained()),
  ];
  terminal.setRaw(true);
  screen.start();
  screen.commit(options.greeting.map((text) => [{ text, style: {} }]));
  show();
  return {
    ended: ended.promise.then(async () => {
      for (const stop of stops) stop();
      services.storeDraft(app.draft);
      movement.stop();
      pacer.stop();
      keys.stop();
      await app.close();
      screen.commit(app.takeFinished(terminal.size()));
      screen.stop();
      terminal.setRaw(false);
    }),
    stop: () => ended.resolve(),
    mayRestart: () => app.mayRestart(),
  };
}

/** Frames for what moves by itself: one timer at a time, and none that nobody asked for. */
function createMovement(terminal: TerminalPort, frame: () => void) {
  let cancel: (() => void) | undefined;
  return {
    keep() {
      cancel ??= terminal.setTimer(() => {
        cancel = undefined;
        frame();
      }, MOVING_MS);
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
