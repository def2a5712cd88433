import { EFFORTS, type Effort } from "../../protocol/effort.ts";
import type { MethodAnswer, MethodName } from "../../protocol/methods.ts";
import { chooseDialog } from "../dialogs/choose.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";

// Commands that ask something of the agent. Without arguments they open a list where there is something to choose.

export const AGENT_COMMANDS: readonly SlashCommand[] = [
  { name: "model", usage: "[name]", description: "choose the model", run: model },
  { name: "effort", usage: "[level]", description: "how hard the model thinks", run: effort },
  { name: "mode", usage: "[name]", description: "default, plan, explore, debug or review", run: mode },
  { name: "safe", usage: "", description: "only tools that look", run: (host) => setSafe(host, true) },
  { name: "normal", usage: "", description: "all tools again", run: (host) => setSafe(host, false) },
  { name: "compact", usage: "[focus]", description: "shorten the conversation", run: compact },
  { name: "tools", usage: "", description: "the tools the model has", run: tools },
  { name: "tasks", usage: "", description: "what the agent has planned", run: tasks },
];

const MODES = ["default", "plan", "explore", "debug", "review"];

async function model(host: CommandHost, rest: string): Promise<void> {
  if (rest !== "") return setModel(host, rest);
  const rows = await host.services.listModels();
  const current = host.state().model;
  host.open(
    chooseDialog({
      title: "Model",
      emptyText: "no model fits",
      selected: Math.max(
        0,
        rows.findIndex(({ selector }) => selector === current),
      ),
      items: rows.map(({ selector, description, problem }) => ({
        value: selector,
        label: `${selector}${selector === current ? " (now)" : ""}`,
        description: problem ?? description,
        isDisabled: problem !== undefined,
        words: description,
      })),
      onChoose(selector) {
        host.closeDialog();
        void setModel(host, selector);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

export async function setModel(host: CommandHost, selector: string, temporary = false): Promise<void> {
  const answer = await host.agent.call("set_model", { model: selector, ...(temporary && { temporary }) });
  tellFailure(host, answer);
  if (answer.ok) host.hint(`${answer.result.model} ${answer.result.effort}`);
}

async function effort(host: CommandHost, rest: string): Promise<void> {
  const level = EFFORTS.find((one) => one === rest.toLowerCase());
  if (level !== undefined) return setEffort(host, level);
  if (rest !== "") return host.say(`\`${rest}\` is no effort. There are: ${EFFORTS.join(", ")}.`);
  choose(host, {
    title: "Effort",
    names: EFFORTS,
    current: host.state().effort,
    take: (name) => setEffort(host, name),
  });
}

export async function setEffort(host: CommandHost, level: Effort): Promise<void> {
  const answer = await host.agent.call("set_effort", { effort: level });
  tellFailure(host, answer);
  if (answer.ok) host.hint(`effort ${answer.result.effort}`);
}

async function mode(host: CommandHost, rest: string): Promise<void> {
  if (rest !== "") return setMode(host, rest);
  choose(host, { title: "Mode", names: MODES, current: host.state().mode, take: (name) => setMode(host, name) });
}

export async function setMode(host: CommandHost, name: string): Promise<void> {
  const answer = await host.agent.call("set_mode", { mode: name });
  tellFailure(host, answer);
  if (answer.ok) host.hint(`${answer.result.mode} mode`);
}

interface NamedChoice<Name extends string> {
  title: string;
  names: readonly Name[];
  current: string;
  take(name: Name): void | Promise<void>;
}

function choose<Name extends string>(host: CommandHost, { title, names, current, take }: NamedChoice<Name>): void {
  host.open(
    chooseDialog({
      title,
      emptyText: "nothing fits",
      selected: Math.max(
        0,
        names.findIndex((name) => name === current),
      ),
      items: names.map((name) => ({ value: name, label: name === current ? `${name} (now)` : name })),
      onChoose(name) {
        host.closeDialog();
        void take(name);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

async function setSafe(host: CommandHost, safe: boolean): Promise<void> {
  const answer = await host.agent.call("set_safe", { safe });
  tellFailure(host, answer);
  if (answer.ok) host.hint(safe ? "safe: only tools that look" : "all tools");
}

async function compact(host: CommandHost, rest: string): Promise<void> {
  tellFailure(host, await host.agent.call("compact", rest === "" ? {} : { focus: rest }));
}

function tools(host: CommandHost): void {
  host.say(
    host
      .state()
      .tools.map((name) => `- \`${name}\``)
      .join("\n") || "The model has no tools.",
  );
}

function tasks(host: CommandHost): void {
  const rows = host.state().tasks.map(({ status, content }) => `- [${status === "completed" ? "x" : " "}] ${content}`);
  host.say(rows.join("\n") || "Nothing is planned.");
}

export function tellFailure<Name extends MethodName>(host: CommandHost, answer: MethodAnswer<Name>): void {
  if (!answer.ok) host.say(`**Not done:** ${answer.error.message}`);
}
