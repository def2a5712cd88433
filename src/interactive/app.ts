import type { AgentEvent } from "../protocol/agent-events.ts";
import { readableChord } from "../tui/components/key-hints.ts";
import type { InputEvent, KeyEvent } from "../tui/keys/input-event.ts";
import { renderMarkdown } from "../tui/markdown/markdown-stream.ts";
import type { ScreenSize } from "../tui/screen/screen.ts";
import { createTheme, type Theme, type ThemeName } from "../tui/style/theme.ts";
import type { CommandHost, SlashCommand } from "./commands/command-host.ts";
import { readCommand, runCommand } from "./commands/run-command.ts";
import type { BlockPlace } from "./conversation/block.ts";
import { type Conversation, createConversation } from "./conversation/conversation.ts";
import { WaitingQuestions } from "./dialogs/waiting-questions.ts";
import { composeFrame, type Frame } from "./frame.ts";
import { PromptInput } from "./input/prompt-input.ts";
import { SuggestionSources } from "./input/suggestion-sources.ts";
import { type AppAction, actionOfKey, isLooking, SLASH_OF } from "./keys/app-actions.ts";
import type { KeyMap } from "./keys/key-map.ts";
import { Sending, type WhileBusy } from "./sending.ts";
import type { InteractiveServices, OpenedAgent, SessionWish } from "./services.ts";
import { ShownAgent } from "./shown-agent.ts";
import { themeNamed } from "./theme-named.ts";

// The conversation as a program: keys and events go in, rows come out. It draws nothing itself and owns no timer.

export interface AppOptions {
  agent: OpenedAgent;
  services: InteractiveServices;
  keys: KeyMap;
  commands: readonly SlashCommand[];
  history: readonly string[];
  draft: string;
  theme: ThemeName;
  hasAsciiGlyphs: boolean;
  hasLinks: boolean;
  now(): number;
  /** Something changed that should be seen; `at once` after a key. */
  changed(when: "soon" | "at-once"): void;
  /** The terminal is wanted for another program, or the process for the shell. */
  onSuspend(): void;
  onExit(): void;
}

export class App {
  private readonly agent: ShownAgent;
  private conversation: Conversation;
  private readonly input: PromptInput;
  private theme: Theme;
  private readonly questions: WaitingQuestions;
  private readonly sending: Sending;
  private readonly sources: SuggestionSources;
  private lastKeyAt = Number.NEGATIVE_INFINITY;
  private size: ScreenSize = { columns: 80, rows: 24 };
  private hint: string | undefined;
  private branch: string | undefined;
  private isThinkingShown = false;
  private areToolsExpanded = false;
  private isLeaving = false;

  constructor(private readonly options: AppOptions) {
    this.agent = this.newAgent();
    this.theme = createTheme(options.theme, { hasAsciiGlyphs: options.hasAsciiGlyphs });
    this.conversation = this.newConversation();
    this.sources = new SuggestionSources(options.services, options.commands, () => this.refresh());
    this.input = new PromptInput(options.history, this.sources, { isVim: options.keys.preset === "vim" });
    this.questions = this.newQuestions();
    this.sending = this.newSending();
    if (options.draft !== "") this.input.set(options.draft);
    this.agent.listen();
    this.showEarlier(options.agent);
    void this.sources.loadCustom();
    void this.loadBranch();
  }

  onInput(event: InputEvent): void {
    if (event.type === "paste") this.onPaste(event);
    else if (event.type === "key" && event.phase !== "release") this.onKey(event);
    else return;
    this.options.changed("at-once");
  }

  /** Rows that are finished go to the scrollback. */
  takeFinished(size: ScreenSize) {
    return this.conversation.takeFinished(this.place(size));
  }

  frame(size: ScreenSize): Frame {
    this.size = size;
    const dialog = this.questions.current();
    return composeFrame({
      open: this.conversation.openRows(this.place(size)),
      dialog,
      isDialogFocused: this.questions.isFocused(this.writing()),
      input: this.input,
      facts: {
        agent: this.agent.state,
        branch: this.branch,
        activity: this.agent.activity.shown(this.options.now(), this.theme),
        stopKey: this.stopKey(dialog),
        hint: this.hint ?? this.input.message,
        editing: this.input.modeWords,
        questions: this.questions.hidden,
      },
      size,
      theme: this.theme,
      keys: this.options.keys,
    });
  }

  /** Whether something on the screen moves by itself: then frames are needed without events. */
  get isMoving(): boolean {
    return this.agent.activity.isBusy;
  }

  /** What is written and not sent yet. */
  get draft(): string {
    return this.input.text;
  }

  /** For those who see no frame: what is asked now, and the word beside the status. */
  get asked() {
    return { dialog: this.questions.current(), hint: this.hint ?? this.input.message };
  }

  focusQuestion(): boolean {
    return this.questions.focus();
  }

  mayRestart(): boolean {
    return this.conversation.mayRestart();
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private onEvent(event: AgentEvent): void {
    this.conversation.accept(event, this.options.now());
    const news = this.questions.accept(event);
    if (news !== undefined) this.options.services.notify(news);
    this.options.changed("soon");
    if (event.type !== "agent-end") return;
    this.options.services.notify("Ralph is done and waits for you");
    void this.loadBranch();
  }

  private writing() {
    return { isEmpty: this.input.isEmpty, now: this.options.now(), lastKeyAt: this.lastKeyAt };
  }

  private onPaste(event: Extract<InputEvent, { type: "paste" }>): void {
    if (this.questions.isFocused(this.writing()) && this.questions.onPaste(event)) return;
    this.input.onPaste(event);
  }

  private onKey(event: KeyEvent): void {
    this.hint = undefined;
    const { keys } = this.options;
    const isFocused = this.questions.isFocused(this.writing());
    this.lastKeyAt = this.options.now();
    if (isFocused && this.questions.onKey(event, keys)) return;
    const isTab = keys.means(event.chord, "tui.input.tab") && !this.input.hasSuggestions;
    if (isTab && this.questions.focus()) return;
    if (this.input.onVimKey(event)) return;
    const action = actionOfKey(event.chord, keys);
    // Whoever looks closer at what is asked is not writing.
    if (isFocused && isLooking(action)) this.questions.focus();
    if (action !== undefined && this.act(action)) return;
    this.isLeaving = false;
    this.input.onKey(event, keys);
  }

  /** False where the key means something to the input instead. */
  private act(action: AppAction): boolean {
    const { services } = this.options;
    switch (action) {
      case "app.message.send":
        return this.send("steer");
      case "app.message.followUp":
        return this.send("follow-up");
      case "app.interrupt":
        return this.interrupt();
      case "app.clear":
        return this.clear();
      case "app.exit":
        return this.input.isEmpty ? this.leave() : false;
      case "app.suspend":
        this.options.onSuspend();
        return true;
      case "app.message.dequeue":
        return this.done(this.sending.takeBack());
      case "app.thinking.toggle":
        this.isThinkingShown = !this.isThinkingShown;
        this.hint = this.isThinkingShown ? "thinking is shown" : "thinking is hidden";
        return true;
      case "app.tools.expand":
        return this.expandTools();
      case "app.editor.external":
        return this.done(services.editText(this.input.text).then((text) => text !== undefined && this.input.set(text)));
      case "app.clipboard.pasteImage":
        return this.done(this.sending.pastePicture());
      case "app.clipboard.copyLine":
        return this.done(this.runSlash("copy"));
      case "app.clipboard.copyPrompt":
        return this.done(
          services.copyText(this.input.text).then((ok) => this.say(ok ? "copied" : "nothing here can copy")),
        );
      default:
        return this.done(this.runSlash(SLASH_OF[action]));
    }
  }

  private done(work: Promise<unknown> | undefined): boolean {
    void work?.then(() => this.options.changed("soon"));
    return true;
  }

  private say(hint: string): void {
    this.hint = hint;
  }

  private runSlash(text: string): Promise<void> {
    const command = readCommand(`/${text}`);
    return command === undefined ? Promise.resolve() : runCommand(this.host(), command);
  }

  private send(whileBusy: WhileBusy): boolean {
    const sent = this.sending.send(whileBusy);
    return sent === undefined ? true : this.done(sent);
  }

  /** Rows in the scrollback stay as they are: the newest output is printed again, and what comes is shown in more rows. */
  private expandTools(): boolean {
    this.areToolsExpanded = !this.areToolsExpanded;
    const isPrinted = this.areToolsExpanded && this.conversation.reprintOutput(this.place(this.size));
    this.hint = this.areToolsExpanded
      ? `output is shown from now on${isPrinted ? ", the last one once more" : ""}`
      : "output is cut from now on";
    return true;
  }

  private interrupt(): boolean {
    if (this.input.hasSuggestions) return false;
    return this.done(this.agent.stopWork());
  }

  /** What to press to stop the work; a dialog has its own use for keys. */
  private stopKey(dialog: unknown): string | undefined {
    const [chord] = this.options.keys.chordsOf("app.interrupt");
    const isStoppable = this.agent.activity.isBusy && dialog === undefined && chord !== undefined;
    return isStoppable ? readableChord(chord).replace(/^Escape$/, "Esc") : undefined;
  }

  private clear(): boolean {
    if (!this.input.isEmpty) this.input.clear();
    else if (this.agent.stopWork() !== undefined) return true;
    else if (this.isLeaving) return this.leave();
    else {
      this.isLeaving = true;
      this.hint = "once more leaves";
    }
    return true;
  }

  private leave(): boolean {
    this.options.onExit();
    return true;
  }

  private refresh(): void {
    this.input.refresh();
    this.options.changed("soon");
  }

  private async loadBranch(): Promise<void> {
    this.branch = await this.options.services.gitBranch();
    this.options.changed("soon");
  }

  private newAgent(): ShownAgent {
    const { agent, now, changed } = this.options;
    return new ShownAgent({ agent, now, onEvent: (event) => this.onEvent(event), changed: () => changed("soon") });
  }

  private newQuestions(): WaitingQuestions {
    const { now, changed } = this.options;
    return new WaitingQuestions({
      agent: () => this.agent.face,
      callOf: ({ toolCallId = "" }) => this.conversation.callOf(toolCallId),
      now,
      wallNow: Date.now,
      tell: (text) => this.say(text),
      changed: () => changed("soon"),
    });
  }

  private newSending(): Sending {
    return new Sending({
      input: this.input,
      agent: () => this.agent.face,
      services: this.options.services,
      runCommand: (command) => runCommand(this.host(), command),
      hint: (text) => this.say(text),
    });
  }

  private newConversation(): Conversation {
    return createConversation(() => ({ theme: this.theme, hasLinks: this.options.hasLinks }));
  }

  private place({ columns }: ScreenSize): BlockPlace {
    const { hasLinks, now } = this.options;
    const { theme, isThinkingShown, areToolsExpanded } = this;
    return { width: columns, theme, hasLinks, isThinkingShown, areToolsExpanded, now: now() };
  }

  /** What commands, and whoever opened the conversation, may do with it. */
  host(): CommandHost {
    const { services, keys } = this.options;
    return {
      agent: this.agent.face,
      state: () => this.agent.state,
      services,
      keys,
      commands: () => this.sources.allCommands(),
      say: (markdown) => this.shown(this.conversation.say((place) => renderMarkdown(markdown, place.width, place))),
      sayLines: (lines) => this.shown(this.conversation.say(lines)),
      hint: (text) => this.shown(this.say(text)),
      open: (dialog) => this.shown(this.questions.show(dialog)),
      closeDialog: () => this.shown(this.questions.close()),
      setInput: (text) => this.input.set(text),
      findPrompts: (words) => this.input.find(words),
      prompt: (text) => void this.sending.prompt(text, "follow-up"),
      switchSession: (wish) => this.switchSession(wish),
      setTheme: (name) => this.setTheme(name),
      lastAnswer: () => this.conversation.lastAnswer(),
      exit: () => this.options.onExit(),
    };
  }

  /** What a command does after a while is seen as well. */
  private shown(_done: unknown): void {
    this.options.changed("soon");
  }

  private async switchSession(wish: SessionWish): Promise<void> {
    if (this.isMoving) await this.agent.face.call("abort", {});
    const opened = await this.options.services.openAgent(wish);
    if (!opened.ok) {
      this.hint = opened.message;
      return;
    }
    await this.close();
    this.adopt(opened.agent);
    this.hint = wish.type === "new" ? "a new session" : "the session goes on";
  }

  /** Goes on with this agent; the one before is closed by whoever calls. */
  adopt(agent: OpenedAgent): void {
    this.questions.forget();
    this.agent.replace(agent);
    this.showEarlier(agent);
    this.options.changed("soon");
  }

  /** What was said before, and what is to be known of how it ended. */
  private showEarlier({ earlier, leftOut, state: { brokenOff } }: OpenedAgent): void {
    this.conversation.showEarlier(earlier, leftOut);
    if (brokenOff === undefined) return;
    this.conversation.accept({ type: "notice", level: "warning", text: brokenOff.text }, this.options.now());
  }

  private setTheme(name: string): boolean {
    const theme = themeNamed(name, this.options.hasAsciiGlyphs);
    if (theme !== undefined) this.theme = theme;
    return theme !== undefined;
  }
}
