import { asError } from "./client-errors.ts";
import type { Result } from "./command-methods.ts";
import type { OutboundFrames, UiResponseFrame } from "./wire-types.ts";

// What Ralph wants to know comes twice with one id: as a gate, for programs, and as a request, for a screen. The first answer
// counts. Where this program has nobody to ask, the answer is no.

export type WorkflowGate = OutboundFrames["workflow_gate"];
type AnyUiRequest = OutboundFrames["extension_ui_request"];
/** Something to show. `setTitle` wants no answer. */
export type UiRequest = Exclude<AnyUiRequest, { method: "cancel" }>;
type WithoutEnvelope<Frame> = Frame extends unknown ? Omit<Frame, "type" | "id"> : never;
export type UiResponse = WithoutEnvelope<UiResponseFrame>;

/** `session`, `always` and `never` where the gate offers them. */
export type Approval = boolean | "yes" | "session" | "always" | "no" | "never";

export interface AnswerContext {
  /** Aborted when the question is answered elsewhere or taken back. */
  signal: AbortSignal;
}

/** Each may give undefined to leave the answer to somebody else: another of these, or `respondGate` later. */
export interface AnswerCallbacks {
  /** Permissions. */
  onApproval?(gate: WorkflowGate, context: AnswerContext): Approval | undefined | Promise<Approval | undefined>;
  /** Questions and plans; permissions too where there is no `onApproval`. */
  onGate?(gate: WorkflowGate, context: AnswerContext): unknown;
  onUiRequest?(request: UiRequest, context: AnswerContext): UiResponse | undefined | Promise<UiResponse | undefined>;
}

export interface GateAnswersOptions extends AnswerCallbacks {
  respond(gateId: string, answer: unknown): Promise<Result<"workflow_gate_response">>;
  send(frame: object): string | undefined;
  onProblem(problem: Error): void;
}

export class GateAnswers {
  /** By gate: aborted when the question is over. */
  private readonly open = new Map<string, AbortController>();

  constructor(private readonly options: GateAnswersOptions) {}

  async takeGate(gate: WorkflowGate): Promise<void> {
    const { onApproval, onGate } = this.options;
    const isPermission = gate.kind === "approval" && (gate.stage === "confirm" || gate.stage === "select");
    const context = { signal: this.opened(gate.gate_id).signal };
    const asksApproval = isPermission && onApproval !== undefined;
    if (!asksApproval && onGate === undefined) return this.declineWhereNobodyIsAsked(gate);
    await this.answered(gate.gate_id, async () => {
      const said = asksApproval ? await onApproval(gate, context) : await onGate?.(gate, context);
      const answer = isPermission ? permissionAnswer(gate, said) : said;
      if (answer === undefined || context.signal.aborted) return;
      const { status, error } = await this.options.respond(gate.gate_id, answer);
      if (status === "rejected") throw new Error(`The answer to ${gate.gate_id} does not fit: ${reasonOf(error)}`);
    });
  }

  async takeUiRequest(request: AnyUiRequest): Promise<void> {
    if (request.method === "cancel") return this.over(request.targetId);
    const { onUiRequest, send } = this.options;
    if (onUiRequest === undefined) return;
    const { signal } = request.method === "setTitle" ? new AbortController() : this.opened(request.id);
    await this.answered(request.id, async () => {
      const response = await onUiRequest(request, { signal });
      if (response === undefined || signal.aborted || request.method === "setTitle") return;
      const problem = send({ type: "extension_ui_response", id: request.id, ...response });
      if (problem !== undefined) throw new Error(problem);
      this.over(request.id);
    });
  }

  /** An answer of the screen that Ralph did not take: the question must not be left open. */
  refused(id: string, problem: Error): void {
    this.options.onProblem(problem);
    this.decline(id);
  }

  /** The question is over: answered, or taken back. */
  over(id: string): void {
    this.open.get(id)?.abort(new Error("The question is over."));
    this.open.delete(id);
  }

  overAll(): void {
    for (const id of [...this.open.keys()]) this.over(id);
  }

  private opened(id: string): AbortController {
    const controller = this.open.get(id) ?? new AbortController();
    this.open.set(id, controller);
    return controller;
  }

  /** A callback that fails must not leave the work waiting: somebody else may still answer, and otherwise it is a no. */
  private async answered(id: string, answer: () => Promise<void>): Promise<void> {
    try {
      await answer();
    } catch (error) {
      this.options.onProblem(asError(error));
      if (this.open.has(id) && this.options.onUiRequest === undefined) this.decline(id);
    }
  }

  private declineWhereNobodyIsAsked({ gate_id }: WorkflowGate): void {
    if (this.options.onUiRequest === undefined) this.decline(gate_id);
  }

  private decline(id: string): void {
    this.options.send({ type: "extension_ui_response", id, cancelled: true });
    this.over(id);
  }
}

/** A permission takes true and false, or one of its words; a decision on a plan is understood for it as well. */
function permissionAnswer({ schema }: WorkflowGate, said: unknown): unknown {
  const decision = typeof said === "object" && said !== null && "decision" in said ? said.decision : said;
  if (typeof decision !== "boolean" && typeof decision !== "string") return said;
  const isYes = typeof decision === "boolean" ? decision : YES.includes(decision);
  if (schema.type === "boolean") return isYes;
  return typeof decision === "boolean" || PLAN_WORDS.includes(decision) ? (isYes ? "yes" : "no") : decision;
}

const YES = ["yes", "session", "always", "approve"];
const PLAN_WORDS = ["approve", "reject"];

function reasonOf(error: Result<"workflow_gate_response">["error"]): string {
  return (error?.errors ?? []).map(({ path, message }) => `${path} ${message}`).join("; ");
}
