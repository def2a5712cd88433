import type { AgentEvent } from "../protocol/agent-events.ts";
import type { AgentState } from "../protocol/agent-state.ts";
import type { UserMessage } from "../protocol/messages.ts";
import { spinnerFrame } from "../tui/components/progress.ts";
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
import { type AppAction, actionOfKey, SLASH_OF } from "./keys/app-actions.ts";
import type { KeyMap } from "./keys/key-map.ts";
import type { InteractiveServices, OpenedAgent, SessionWish } from "./services.ts";
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
  private agent: OpenedAgent;
  private state: AgentState;
  private conversation: Conversation;
  private readonly input: PromptInput;
  private theme: Theme;
  private stopListening: () => void;
  private readonly questions = new WaitingQuestions(() => this.agent.face);
  private readonly sources: SuggestionSources;
  private lastKeyAt = Number.NEGATIVE_INFINITY;
  private busySince: number | undefined;
  private activity = "";
  private hint: string | undefined;
  private branch: string | undefined;
  private isThinkingShown = false;
  private areToolsExpanded = false;
  private isLeaving = false;
  private readonly pictures = new Map<string, { mediaType: string; data: string }>();

  constructor(private readonly options: AppOptions) {
    this.agent = options.agent;
    this.state = options.agent.state;
    this.theme = createTheme(options.theme, { hasAsciiGlyphs: options.hasAsciiGlyphs });
    this.conversation = this.newConversation();
    this.sources = new SuggestionSources(options.services, options.commands, () => this.refresh());
    this.input = new PromptInput(options.history, this.sources);
    if (options.draft !== "") this.input.set(options.draft);
    this.stopListening = this.listen();
    this.conversation.showEarlier(options.agent.earlier, options.agent.leftOut);
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
    const dialog = this.questions.current();
    return composeFrame({
      open: this.conversation.openRows(this.place(size)),
      dialog,
      isDialogFocused: this.questions.isFocused(this.writing()),
      input: this.input,
      facts: {
        agent: this.state,
        branch: this.branch,
        activity: this.activityNow(),
        hint: this.hint ?? this.input.message,
      },
      size,
      theme: this.theme,
      keys: this.options.keys,
    });
  }

  /** Whether something on the screen moves by itself: then frames are needed without events. */
  get isMoving(): boolean {
    return this.busySince !== undefined;
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

  async close(): Promise<void> {
    this.stopListening();
    await this.agent.close();
  }

  private listen(): () => void {
    return this.agent.face.subscribe((event) => {
      this.onEvent(event);
      this.options.changed("soon");
    });
  }

  private onEvent(event: AgentEvent): void {
    this.conversation.accept(event, this.options.now());
    const news = this.questions.accept(event);
    if (news !== undefined) this.options.services.notify(news);
    switch (event.type) {
      case "agent-start":
        this.busySince = this.options.now();
        this.activity = "working";
        return;
      case "tool-start":
        this.activity = event.call.name;
        return;
      case "tool-end":
      case "turn-start":
        this.activity = "working";
        return;
      case "agent-end":
        this.busySince = undefined;
        this.options.services.notify("Ralph is done and waits for you");
        void this.loadBranch();
        return;
      case "state-changed":
        this.state = event.state;
    }
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
    const action = actionOfKey(event.chord, keys);
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
        return this.done(this.takeBack());
      case "app.thinking.toggle":
        this.isThinkingShown = !this.isThinkingShown;
        this.hint = this.isThinkingShown ? "thinking is shown" : "thinking is hidden";
        return true;
      case "app.tools.expand":
        this.areToolsExpanded = !this.areToolsExpanded;
        this.hint = this.areToolsExpanded ? "output is shown" : "output is cut";
        return true;
      case "app.editor.external":
        return this.done(services.editText(this.input.text).then((text) => text !== undefined && this.input.set(text)));
      case "app.clipboard.pasteImage":
        return this.done(this.pastePicture());
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

  private done(work: Promise<unknown>): boolean {
    void work.then(() => this.options.changed("soon"));
    return true;
  }

  private say(hint: string): void {
    this.hint = hint;
  }

  private runSlash(text: string): Promise<void> {
    const command = readCommand(`/${text}`);
    return command === undefined ? Promise.resolve() : runCommand(this.host(), command);
  }

  private send(whileBusy: "steer" | "follow-up"): boolean {
    this.input.takeCommand();
    const text = this.input.text;
    if (text.trim() === "") return true;
    const command = readCommand(text);
    this.input.submit();
    this.options.services.storePrompt(text);
    this.options.services.storeDraft("");
    if (command !== undefined) return this.done(runCommand(this.host(), command));
    return this.done(this.prompt(text, whileBusy));
  }

  private async prompt(text: string, whileBusy: "steer" | "follow-up"): Promise<void> {
    const message = this.messageOf(text);
    const answer = await this.agent.face.call("prompt", { message, whileBusy });
    if (answer.ok) return;
    this.input.set(text);
    this.hint = answer.error.message;
  }

  /** Pictures go along where their markers stand. */
  private messageOf(text: string): UserMessage {
    const pictures = [...this.pictures].filter(([label]) => text.includes(label));
    return {
      role: "user",
      content: [{ type: "text", text }, ...pictures.map(([, picture]) => ({ type: "image" as const, ...picture }))],
    };
  }

  private interrupt(): boolean {
    if (this.input.hasSuggestions) return false;
    if (this.busySince === undefined) return true;
    return this.done(this.agent.face.call("abort", {}));
  }

  private clear(): boolean {
    if (!this.input.isEmpty) this.input.clear();
    else if (this.busySince !== undefined) void this.agent.face.call("abort", {});
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

  private async takeBack(): Promise<void> {
    const answer = await this.agent.face.call("take_back", {});
    const parts = answer.ok ? (answer.result.message?.content ?? []) : [];
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (text === "") this.hint = "nothing waits";
    else this.input.set(this.input.isEmpty ? text : `${text}\n${this.input.text}`);
  }

  private async pastePicture(): Promise<void> {
    const picture = await this.options.services.pastePicture();
    if (picture === undefined) {
      this.hint = "there is no picture on the clipboard";
      return;
    }
    const label = `[picture ${this.pictures.size + 1}]`;
    this.pictures.set(label, picture);
    this.input.insertMarker(label, label);
  }

  private refresh(): void {
    this.input.refresh();
    this.options.changed("soon");
  }

  private async loadBranch(): Promise<void> {
    this.branch = await this.options.services.gitBranch();
    this.options.changed("soon");
  }

  private activityNow() {
    if (this.busySince === undefined) return undefined;
    const elapsed = this.options.now() - this.busySince;
    return {
      words: this.activity,
      seconds: Math.floor(elapsed / 1000),
      spinner: spinnerFrame(Math.floor(elapsed / 100), this.theme),
    };
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
      state: () => this.state,
      services,
      keys,
      commands: () => this.sources.allCommands(),
      say: (markdown) =>
        this.conversation.say(({ width, theme, hasLinks }) => renderMarkdown(markdown, width, { theme, hasLinks })),
      sayLines: (lines) => this.conversation.say(lines),
      hint: (text) => this.say(text),
      open: (dialog) => this.questions.show(dialog),
      closeDialog: () => this.questions.close(),
      setInput: (text) => this.input.set(text),
      prompt: (text) => void this.prompt(text, "follow-up"),
      switchSession: (wish) => this.switchSession(wish),
      setTheme: (name) => this.setTheme(name),
      lastAnswer: () => this.conversation.lastAnswer(),
      exit: () => this.options.onExit(),
    };
  }

  private async switchSession(wish: SessionWish): Promise<void> {
    if (this.busySince !== undefined) await this.agent.face.call("abort", {});
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
    this.stopListening();
    this.questions.forget();
    this.agent = agent;
    this.state = agent.state;
    this.busySince = undefined;
    this.stopListening = this.listen();
    this.conversation.showEarlier(agent.earlier, agent.leftOut);
    this.options.changed("soon");
  }

  private setTheme(name: string): boolean {
    const theme = themeNamed(name, this.options.hasAsciiGlyphs);
    if (theme !== undefined) this.theme = theme;
    return theme !== undefined;
  }
}
