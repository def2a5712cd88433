import type { InputEvent } from "../tui/keys/input-event.ts";
import { createKeyReader } from "../tui/keys/key-reader.ts";
import { createScreen } from "../tui/screen/create-screen.ts";
import { createFramePacer } from "../tui/screen/frame-pacer.ts";
import type { Screen } from "../tui/screen/screen.ts";
import { line } from "../tui/style/styled-line.ts";
import { createTheme } from "../tui/style/theme.ts";
import { wrapLine } from "../tui/style/wrap.ts";
import { App } from "./app.ts";
import { AGENT_COMMANDS } from "./commands/agent-commands.ts";
import type { CommandHost } from "./commands/command-host.ts";
import { JOB_COMMANDS } from "./commands/job-commands.ts";
import { KEY_COMMANDS } from "./commands/key-commands.ts";
import { LOGIN_COMMANDS } from "./commands/login-commands.ts";
import { SCREEN_COMMANDS } from "./commands/screen-commands.ts";
import { SESSION_COMMANDS } from "./commands/session-commands.ts";
import { createDraftKeeper, type DraftKeeper } from "./draft-keeper.ts";
import type { KeyMap } from "./keys/key-map.ts";
import { PlainLines } from "./plain-lines.ts";
import { createPresence } from "./presence.ts";
import type { InteractiveServices, OpenedAgent } from "./services.ts";
import { createTerminalAnswers, type TerminalAnswers } from "./terminal-answers.ts";
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
  /** Ctrl+C, where it comes as a signal. */
  interrupt(): void;
  /** Goes on with another agent. */
  adopt(agent: OpenedAgent): void;
  /** What may be done with the conversation from outside. */
  host(): CommandHost;
  /** Shows what was done through the host. */
  refresh(): void;
  /** Whether an answer that broke off may begin anew. */
  mayRestart(): boolean;
  /** Gives the terminal back at once, without waiting for anything, and stores what was written. */
  abandon(): void;
}

const FRAME_MS = 33;
const MOVING_MS = 100;
const ESCAPE_MS = 50;

/** The conversation in a terminal, until the person leaves. Nothing is drawn and no timer runs while nothing happens. */
export async function runInteractive(options: InteractiveOptions): Promise<InteractiveRun> {
  const { services } = options;
  const [history, draft] = await Promise.all([services.loadHistory(), services.loadDraft()]);
  const parts = assemble(options, { history, draft });
  const { app, screen, drafts, pacer, ended } = parts;
  const stopReading = beginReading(options, parts);
  return {
    ended: ended.promise.then(() => end(options, parts, stopReading)),
    stop: () => ended.resolve(),
    interrupt: () => app.onInput({ type: "key", chord: "ctrl+c", phase: "press" }),
    adopt: (agent) => app.adopt(agent),
    host: () => app.host(),
    refresh: () => pacer.request(),
    mayRestart: () => app.mayRestart(),
    abandon() {
      drafts.keep();
      screen.stop();
      options.terminal.setRaw(false);
    },
  };
}

interface Parts {
  app: App;
  screen: Screen;
  drafts: DraftKeeper;
  answers: TerminalAnswers;
  pacer: ReturnType<typeof createFramePacer>;
  movement: ReturnType<typeof createMovement>;
  plain: PlainLines | undefined;
  presence: ReturnType<typeof createPresence>;
  ended: PromiseWithResolvers<void>;
}

interface Written {
  history: readonly string[];
  draft: string;
}

function assemble(options: InteractiveOptions, written: Written): Parts {
  const { terminal, looks, services, keys } = options;
  const ended = Promise.withResolvers<void>();
  const answers = createTerminalAnswers(terminal, looks, (name) => {
    app.host().setTheme(name);
    pacer.request();
  });
  const screen = createScreen({
    write: terminal.write,
    size: terminal.size,
    print: looks.print,
    modes: { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: true },
    reflow: answers.reflow,
    setTimer: terminal.setTimer,
    now: terminal.now,
    isPlain: looks.isPlain,
  });
  const show = () => {
    const size = terminal.size();
    screen.commit(app.takeFinished(size));
    if (plain !== undefined) return plain.show();
    const { lines, cursor } = app.frame(size);
    screen.draw(lines, cursor);
    if (app.isMoving) movement.keep();
  };
  const pacer = createFramePacer({ frame: show, intervalMs: FRAME_MS, now: terminal.now, setTimer: terminal.setTimer });
  const movement = createMovement(terminal, () => pacer.request());
  const presence = createPresence(terminal.now);
  const app = new App({
    agent: options.agent,
    services: {
      ...services,
      editText: (text) => withTerminalAway({ terminal, screen, looks }, () => services.editText(text)),
      notify: (text) => presence.isAway() && services.notify(text),
    },
    keys,
    commands: [
      ...SCREEN_COMMANDS,
      ...AGENT_COMMANDS,
      ...SESSION_COMMANDS,
      ...JOB_COMMANDS,
      ...LOGIN_COMMANDS,
      ...KEY_COMMANDS,
    ],
    ...written,
    theme: looks.theme,
    hasAsciiGlyphs: looks.hasAsciiGlyphs,
    hasLinks: looks.print.hasLinks,
    now: terminal.now,
    changed: (when) => (when === "at-once" ? pacer.showNow() : pacer.request()),
    onSuspend: () => void withTerminalAway({ terminal, screen, looks }, () => terminal.suspend()),
    onExit: () => ended.resolve(),
  });
  const drafts = createDraftKeeper(() => app.draft, services.storeDraft, terminal);
  const plain = looks.isPlain ? plainLines(options, app, screen) : undefined;
  return { app, screen, drafts, answers, pacer, movement, plain, presence, ended };
}

function plainLines({ looks, keys, terminal }: InteractiveOptions, app: App, screen: Screen): PlainLines {
  return new PlainLines({
    app,
    keys,
    theme: createTheme(looks.theme, { hasAsciiGlyphs: looks.hasAsciiGlyphs }),
    width: () => terminal.size().columns,
    print: (lines) => screen.commit(lines),
    now: terminal.now,
  });
}

/** From here on keys are heard and frames are drawn. Returns how to stop that. */
function beginReading({ terminal, looks, greeting }: InteractiveOptions, parts: Parts): () => void {
  const { app, screen, drafts, answers, pacer, plain, presence } = parts;
  const onEvent = (event: InputEvent) => {
    presence.accept(event);
    if (event.type === "answer") return answers.accept(event.answer);
    app.onInput(event);
    drafts.touch();
  };
  const keys = createKeyReader({ onEvent, escapeMs: ESCAPE_MS, setTimer: terminal.setTimer });
  const stops = [
    terminal.onInput((bytes) => (plain === undefined ? pacer.together(() => keys.feed(bytes)) : plain.feed(bytes))),
    terminal.onBack(() => screen.returned()),
    terminal.onResize(() => {
      screen.resized();
      pacer.request();
    }),
    terminal.onDrain(() => screen.drained()),
    keys.stop,
  ];
  if (!looks.isPlain) terminal.setRaw(true);
  screen.start();
  const { columns } = terminal.size();
  screen.commit([...greeting.flatMap((text) => wrapLine(line(text), columns)), []]);
  pacer.showNow();
  if (!looks.isPlain) answers.ask();
  return () => {
    for (const stop of stops) stop();
  };
}

async function end({ terminal, looks }: InteractiveOptions, parts: Parts, stopReading: () => void): Promise<void> {
  const { app, screen, drafts, answers, pacer, movement } = parts;
  drafts.keep();
  await answers.settled();
  stopReading();
  movement.stop();
  pacer.stop();
  await app.close();
  screen.commit(app.takeFinished(terminal.size()));
  screen.stop();
  if (!looks.isPlain) terminal.setRaw(false);
}

interface Away {
  terminal: TerminalPort;
  screen: Screen;
  looks: Looks;
}

/** Another program, or the shell, has the terminal until the work is done. */
async function withTerminalAway<Result>(
  { terminal, screen, looks }: Away,
  work: () => Promise<Result>,
): Promise<Result> {
  terminal.setReading(false);
  screen.suspend();
  if (!looks.isPlain) terminal.setRaw(false);
  try {
    return await work();
  } finally {
    if (!looks.isPlain) terminal.setRaw(true);
    terminal.setReading(true);
    screen.resume();
  }
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
