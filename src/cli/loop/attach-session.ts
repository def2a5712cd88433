import type { ControlConnection, ControlEvent } from "../../loop/control/connect-control.ts";
import { asNumber, asString } from "../../protocol/json.ts";
import type { Clock } from "../../system/clock.ts";
import { agentText } from "./agent-text.ts";
import { ESCAPE_WAIT_MS, typedStep, type ViewAction, viewActions } from "./attach-keys.ts";
import type { AttachTerminal } from "./attach-terminal.ts";
import { type StatusFields, statusLine } from "./attach-wording.ts";

/** Taking over ends the running agent first, and giving back ends the program. */
const TAKE_OVER_MS = 60_000;
/** More than this waits for the terminal: nothing more is read, so that the loop does not feed a terminal that stands still. */
const MOST_WAITING = 1_000_000;

export interface AttachSessionOptions {
  connection: ControlConnection;
  terminal: AttachTerminal;
  clock: Clock;
  status: StatusFields;
  /** The person wants to go. */
  leave(): void;
}

/** One attached terminal: what happens is shown, what is typed is done. */
export class AttachSession {
  status: StatusFields;
  /** What was asked for and has not happened yet. */
  private wish = "";
  private mode: "view" | "changing" | "program" = "view";
  /** What the program printed before its screen was here. */
  private early: { data: string; sequence: number }[] = [];
  private isEscaping = false;
  private stopWaiting: (() => void) | undefined;

  constructor(private readonly options: AttachSessionOptions) {
    this.status = options.status;
    this.showStatus();
  }

  onEvent({ type, data }: ControlEvent): void {
    if (type === "output") this.showLine(asString(data.line) ?? "");
    else if (type === "x/pty") this.onProgram(asString(data.data) ?? "", asNumber(data.sequence) ?? 0);
    else if (type === "state_change") this.onChange(data);
    this.holdBack();
  }

  onTyped(text: string): void {
    if (this.mode === "program") return this.onTypedForProgram(text);
    const actions = viewActions(text);
    // While the terminal changes hands only leaving is understood.
    for (const action of this.mode === "view" ? actions : actions.filter((one) => one === "leave")) this.act(action);
  }

  onResize(): void {
    this.showStatus();
    if (this.mode === "program")
      void this.options.connection.request("x/resize_pty", { ...this.options.terminal.size() });
  }

  note(text: string): void {
    this.options.terminal.lines(`${text}\n`);
  }

  showLine(line: string): void {
    this.options.terminal.lines(`${agentText(line)}\n`);
  }

  close(): void {
    this.stopWaiting?.();
  }

  private act(action: ViewAction): void {
    if (action === "leave") this.options.leave();
    else if (action === "interactive") void this.takeOver();
    else void this.requestEnd(action);
  }

  private async requestEnd(method: "stop" | "checkpoint"): Promise<void> {
    const result = await this.options.connection.request(method);
    if (!result.ok) return this.note(result.message);
    this.wish = method === "stop" ? "stopping" : "pausing";
    this.showStatus();
  }

  private async takeOver(): Promise<void> {
    const { connection, terminal } = this.options;
    this.mode = "changing";
    this.note(
      "Taking over: the agent is ended first. Esc leaves, Esc Esc is an Esc for the agent, Ctrl-] leaves at once.",
    );
    await connection.request("x/resize_pty", { ...terminal.size() });
    const params = { enabled: true, x_while_connected: true };
    const begun = await connection.request("set_interactive_mode", params, TAKE_OVER_MS);
    if (!begun.ok) return this.stayInView(begun.message);
    this.early = [];
    await connection.request("subscribe", { events: ["x/pty"] });
    const screen = await connection.request("x/screen");
    const data = screen.ok ? asString(screen.result.data) : undefined;
    if (!screen.ok || data === undefined) return this.stayInView("The agent's terminal is closed already.");
    terminal.enterProgram();
    terminal.program(data);
    this.mode = "program";
    const sequence = asNumber(screen.result.sequence) ?? 0;
    for (const piece of this.early) if (piece.sequence > sequence) terminal.program(piece.data);
    this.early = [];
  }

  private stayInView(why: string): void {
    this.mode = "view";
    this.note(why);
  }

  private async giveBack(): Promise<void> {
    this.mode = "changing";
    this.options.terminal.leaveProgram();
    this.note("Giving back: the program is ended and the loop goes on.");
    const { connection } = this.options;
    await connection.request("unsubscribe", { events: ["x/pty"] });
    const ended = await connection.request("set_interactive_mode", { enabled: false }, TAKE_OVER_MS);
    if (!ended.ok) this.note(ended.message);
    this.mode = "view";
  }

  private onTypedForProgram(text: string): void {
    this.stopWaiting?.();
    const step = typedStep(this.isEscaping, text);
    this.isEscaping = step.isWaiting;
    if (step.send !== "") void this.options.connection.request("write_pty", { data: step.send });
    if (step.leave) void this.giveBack();
    if (!step.isWaiting) return;
    this.stopWaiting = this.options.clock.timer(ESCAPE_WAIT_MS, () => {
      this.isEscaping = false;
      if (this.mode === "program") void this.giveBack();
    });
  }

  private onProgram(data: string, sequence: number): void {
    if (this.mode === "program") this.options.terminal.program(data);
    else this.early.push({ data, sequence });
  }

  private onChange(data: StatusFields): void {
    const { injected_prompt: prompt, ...changed } = data;
    this.status = { ...this.status, ...changed };
    if (typeof prompt === "string") this.note(`The next agent is told first: ${agentText(prompt)}`);
    this.showStatus();
    if (changed.interactive_mode !== false || this.mode !== "program") return;
    this.options.terminal.leaveProgram();
    this.mode = "view";
    this.note("The agent's terminal is closed; the loop goes on.");
  }

  private showStatus(): void {
    const { terminal } = this.options;
    terminal.status(statusLine(this.status, this.wish, terminal.size().columns));
  }

  private holdBack(): void {
    const { terminal, connection } = this.options;
    if (terminal.waiting() <= MOST_WAITING) return;
    connection.pause();
    void terminal.drained().then(() => connection.resume());
  }
}
