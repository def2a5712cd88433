import type { Ask } from "../../protocol/asks.ts";
import type { HostScheme } from "../../protocol/host-schemes.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { AskDraft, Tool } from "../../protocol/tool-runs.ts";
import type { Clock } from "../../system/clock.ts";
import type { AgentPort, Outcome, Warden } from "../agent-port.ts";
import type { Declaration } from "../command-shapes.ts";
import { RPC_COMMANDS, type RpcCommandName, type RpcResult } from "../commands.ts";
import type { TypedError } from "../typed-error.ts";
import {
  type ActionName,
  actionsOfCall,
  actionsOfCommand,
  actionsOfYes,
  allowedBy,
  commandClass,
} from "./action-classes.ts";
import { type Budget, createBudget } from "./budget.ts";
import { type DeclarationReading, looseningOf, readDeclaration } from "./declaration.ts";

// Where nobody watches, what was declared decides before anything is done: which commands are taken, which actions are allowed,
// how much may be used. It only ever refuses what would be done otherwise; and it says yes in place of a person to what it allows.

/** The kind of the entries that tell what was declared and refused. */
export const AUDIT_ENTRY = "unattended";

export interface UnattendedOptions {
  agent: Pick<
    AgentPort,
    "setWarden" | "inspectCommand" | "isInWorkspace" | "keep" | "call" | "abortCommand" | "model" | "state"
  >;
  clock: Clock;
  /** Stands in every refusal; another one for every process. */
  run: string;
  /** Told of everything that is refused to the agent; a refused command is told by its answer. */
  refused(error: TypedError): void;
}

export type Negotiation = { ok: true; result: RpcResult<"negotiate_unattended"> } | { ok: false; error: TypedError };

interface Active {
  declaration: Declaration;
  allowed: ReadonlySet<string>;
  budget: Budget;
}

export class UnattendedControl {
  private active: Active | undefined;
  private audited = 0;
  private negotiating: Promise<unknown> = Promise.resolve();
  private stopTimer: () => void = () => {};

  constructor(private readonly options: UnattendedOptions) {}

  /** Once in a process; after that the same again, or less. */
  negotiate(raw: unknown): Promise<Negotiation> {
    const result = this.negotiating.then(() => this.negotiateOne(raw));
    // A defect in one declaration does not stand in the way of everything behind it.
    this.negotiating = result.catch(() => undefined);
    return result;
  }

  /** Why a command is not taken, before anything of it is done. A declaration that came before it counts. */
  async beforeCommand(
    name: RpcCommandName,
    params: Readonly<Record<string, unknown>>,
  ): Promise<TypedError | undefined> {
    await this.negotiating;
    const { active } = this;
    if (active === undefined) return undefined;
    const refusal = refusedScope(name, active) ?? (await this.refusedWork(name, params, active));
    return refusal === undefined ? undefined : this.audit(refusal, { command: name });
  }

  /** True where no person is asked because the answer follows from what was declared; then it is given. */
  takesAsk(ask: Ask): boolean {
    const { active } = this;
    if (active === undefined) return false;
    const denied = firstDenied(actionsOfYes(ask), active);
    if (denied !== undefined) void this.refuse(actionDenied(denied, ask.summary));
    void this.options.agent.call("answer", { askId: ask.id, answer: denied === undefined ? "yes" : "no" });
    return true;
  }

  /** What the host reads and writes by address is an action of the agent. */
  guardScheme(scheme: HostScheme): HostScheme {
    const refusal = async (action: ActionName, url: string): Promise<{ ok: false; message: string } | undefined> => {
      const { active } = this;
      if (active === undefined || active.allowed.has(action)) return undefined;
      return { ok: false, message: wordsFor(await this.refuse(actionDenied(action, url))) };
    };
    return {
      ...scheme,
      read: async (url, signal) => (await refusal("host_uri.read", url)) ?? scheme.read(url, signal),
      write: async (url, content, signal) =>
        (await refusal("host_uri.write", url)) ?? scheme.write(url, content, signal),
    };
  }

  stop(): void {
    this.stopTimer();
  }

  private async negotiateOne(raw: unknown): Promise<Negotiation> {
    const reading = this.read(raw);
    if (!reading.ok) return { ok: false, error: await this.audit(reading.error, { command: "negotiate_unattended" }) };
    const { declaration } = reading;
    const stored = await this.keep({ event: "accepted", declaration });
    if (!stored.ok) return { ok: false, error: { code: "not_stored", message: stored.message } };
    this.enter(declaration);
    return { ok: true, result: { status: "accepted", run_id: this.options.run, declaration } };
  }

  private read(raw: unknown): DeclarationReading {
    const reading = readDeclaration(raw);
    const error = reading.ok ? this.refusalOf(reading.declaration) : undefined;
    return error === undefined ? reading : { ok: false, error };
  }

  private refusalOf(declaration: Declaration): TypedError | undefined {
    const loosened = this.active === undefined ? [] : looseningOf(declaration, this.active.declaration);
    if (loosened.length > 0)
      return {
        code: "already_unattended",
        message: `This run is unattended already, and a further declaration may only take away: ${loosened.join(", ")} would allow more.`,
        loosened,
      };
    const model = this.options.agent.model();
    const priced = model === undefined ? undefined : createBudget(declaration.budget, () => 0).refusal(model);
    return priced?.code === "unsupported_budget_metric" ? priced : undefined;
  }

  private enter(declaration: Declaration): void {
    const { clock, agent } = this.options;
    const startedAt = clock.monotonic();
    const budget = this.active?.budget ?? createBudget(declaration.budget, () => clock.monotonic() - startedAt);
    budget.tighten(declaration.budget);
    this.active = { declaration, allowed: allowedBy(declaration.action_allowlist), budget };
    agent.setWarden(this.warden(budget));
    this.stopTimer();
    this.stopTimer = clock.timer(budget.remainingMs(), () => void this.end(budget));
  }

  /** Time is over: what runs is stopped, not just what would begin. */
  private async end(budget: Budget): Promise<void> {
    const { agent } = this.options;
    const over = budget.refusal();
    if (over !== undefined) await this.refuse(over, { pre_side_effect: false });
    agent.abortCommand();
    await agent.call("abort", {});
  }

  private warden(budget: Budget): Warden {
    return {
      beforeTool: (tool, asks) => this.told(() => this.refusedCall(tool, asks)),
      beforeModel: (model) => this.told(async () => budget.refusal(model)),
      afterModel: ({ usage, dollars }) => budget.spent(usage, dollars),
    };
  }

  private async refusedCall(tool: Tool, asks: readonly AskDraft[]): Promise<TypedError | undefined> {
    const spent = this.active?.budget.refusal();
    if (spent !== undefined) return spent;
    const actions = await actionsOfCall(tool, asks, this.options.agent);
    const { active } = this;
    if (active === undefined) return undefined;
    // Nothing comes between these two, so that calls beside each other cannot take the same last one.
    const denied = deniedError(firstDenied(actions, active), asks[0]?.summary ?? tool.name);
    return denied ?? active.budget.takeToolCall();
  }

  /** What cannot be decided is refused. */
  private async told(decide: () => Promise<TypedError | undefined>): Promise<string | undefined> {
    try {
      const error = await decide();
      return error === undefined ? undefined : wordsFor(await this.refuse(error));
    } catch (error) {
      return `action_denied: it could not be decided (${error instanceof Error ? error.message : String(error)})`;
    }
  }

  private async refusedWork(
    name: RpcCommandName,
    params: Readonly<Record<string, unknown>>,
    active: Active,
  ): Promise<TypedError | undefined> {
    const { agent } = this.options;
    const { budget } = active;
    if (ASKS_A_MODEL.has(name)) return budget.refusal(agent.model());
    const { command, outputPath, providerId } = params;
    if (name === "login") return deniedError(firstDenied(["auth.login"], active), `login to ${String(providerId)}`);
    if (name === "export_html") {
      const path = typeof outputPath === "string" ? outputPath : ".";
      const places: ActionName[] = (await agent.isInWorkspace(path)) ? [] : ["file.outside"];
      return deniedError(firstDenied(["file.write", ...places], active), `export_html to ${path}`);
    }
    if (name !== "bash" || typeof command !== "string") return undefined;
    const actions = actionsOfCommand(await agent.inspectCommand(command));
    return deniedError(firstDenied(actions, active), command) ?? budget.takeToolCall();
  }

  private async refuse(error: TypedError, about?: JsonObject): Promise<TypedError> {
    const whole = await this.audit(error, about);
    this.options.refused(whole);
    return whole;
  }

  /** The refusal stands, whether it can be kept or not. */
  private async audit(error: TypedError, about?: JsonObject): Promise<TypedError> {
    const { sessionId } = await this.options.agent.state();
    const whole = { ...error, run_id: this.options.run, session_id: sessionId, pre_side_effect: true, ...about };
    this.audited++;
    if (this.audited <= MOST_AUDITED) await this.keep({ event: "refused", error: whole });
    return whole;
  }

  private keep(data: JsonObject): Promise<Outcome> {
    const { agent, clock, run } = this.options;
    return agent.keep(AUDIT_ENTRY, { ...data, run_id: run, at: new Date(clock.now()).toISOString() });
  }
}

/** Refusals of one process that are kept in sessions. */
const MOST_AUDITED = 1000;

const ASKS_A_MODEL: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt", "compact"]);

function refusedScope(name: RpcCommandName, { declaration }: Active): TypedError | undefined {
  const { scope } = RPC_COMMANDS[name];
  if (scope === null) return undefined;
  if (!declaration.scopes.includes(scope)) {
    const message = `${name} needs the scope "${scope}", which was not declared.`;
    return { code: "scope_denied", message, scope };
  }
  const { action_allowlist: list } = declaration;
  const restricts = list.some((action) => action.startsWith("command."));
  return restricts && !list.includes(commandClass(scope)) ? actionDenied(commandClass(scope), name) : undefined;
}

function firstDenied(actions: readonly ActionName[], { allowed }: Active): ActionName | undefined {
  return actions.find((action) => !allowed.has(action));
}

function deniedError(action: ActionName | undefined, what: string): TypedError | undefined {
  return action === undefined ? undefined : actionDenied(action, what);
}

function actionDenied(action: ActionName, what: string): TypedError {
  const message = `${what.slice(0, LONGEST_SHOWN)} needs the action class "${action}", which was not declared.`;
  return { code: "action_denied", message, action };
}

const LONGEST_SHOWN = 500;

/** For the model, which reads no objects. */
function wordsFor({ code, message }: TypedError): string {
  return `${code}: ${message}`;
}
