import { EFFORTS, type Effort } from "../../protocol/effort.ts";
import type { MethodAnswer, MethodName } from "../../protocol/methods.ts";
import { chooseDialog } from "../dialogs/choose.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";
import { openModelPicker } from "./model-picker.ts";

// Commands that ask something of the agent. Without arguments they open a list where there is something to choose.

export const AGENT_COMMANDS: readonly SlashCommand[] = [
  {
    name: "model",
    usage: "[provider/id[:effort]]",
    description: "choose the model",
    choices: async (services) =>
      (await services.listModels())
        .filter(({ problem }) => problem === undefined)
        .map(({ selector, description }) => ({ label: selector, description })),
    run: model,
  },
  {
    name: "effort",
    usage: `[${EFFORTS.join("|")}]`,
    description: "how hard the model thinks",
    choices: () => EFFORTS.map((label) => ({ label })),
    run: effort,
  },
  {
    name: "mode",
    usage: "[default|plan|explore|debug|review]",
    description: "what the model is at",
    choices: () => MODES.map((label) => ({ label })),
    run: mode,
  },
  { name: "safe", usage: "", description: "only tools that look", run: (host) => setSafe(host, true) },
  { name: "normal", usage: "", description: "all tools again", run: (host) => setSafe(host, false) },
  { name: "compact", usage: "[what matters]", description: "shorten the conversation", run: compact },
  { name: "uncompact", usage: "", description: "bring back what the last shortening took away", run: uncompact },
  { name: "tools", usage: "", description: "the tools the model has", run: tools },
  { name: "tasks", usage: "", description: "what the agent has planned", run: tasks },
];

const MODES = ["default", "plan", "explore", "debug", "review"];

async function model(host: CommandHost, rest: string): Promise<void> {
  if (rest !== "") return setModel(host, rest);
  await openModelPicker(host, { title: "Model", onModel: (selector) => setModel(host, selector) });
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
  if (rest !== "") return setMode(host, rest.toLowerCase());
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
  current: NoInfer<Name>;
  take(name: Name): void | Promise<void>;
}

function choose<Name extends string>(host: CommandHost, { title, names, current, take }: NamedChoice<Name>): void {
  host.open(
    chooseDialog({
      title,
      emptyText: "nothing fits",
      selected: Math.max(0, names.indexOf(current)),
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

async function uncompact(host: CommandHost): Promise<void> {
  const answer = await host.agent.call("undo_compaction", {});
  tellFailure(host, answer);
  if (answer.ok) host.hint(answer.result.undone ? "the conversation is whole again" : "nothing was shortened");
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
  const rows = host.state().tasks.map(({ status, content }) => {
    const standing = status === "in_progress" ? " (now)" : "";
    return `- [${status === "completed" ? "x" : " "}] ${content}${standing}`;
  });
  host.say(rows.join("\n") || "Nothing is planned.");
}

export function tellFailure<Name extends MethodName>(host: CommandHost, answer: MethodAnswer<Name>): void {
  if (!answer.ok) host.say(`**Not done:** ${answer.error.message}`);
}
