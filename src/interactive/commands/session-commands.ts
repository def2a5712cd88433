import { confirmDialog } from "../dialogs/confirm-dialog.ts";
import { textDialog } from "../dialogs/text-dialog.ts";
import { treeDialog } from "../dialogs/tree-dialog.ts";
import type { TreeRow } from "../services.ts";
import { thousands } from "../status/status-line.ts";
import { tellFailure } from "./agent-commands.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";
import { openHistorySearch } from "./history-search.ts";
import { openSessionPicker } from "./session-picker.ts";

// Commands about sessions: going on with one, beginning anew, going back in one, taking it elsewhere.

export const SESSION_COMMANDS: readonly SlashCommand[] = [
  { name: "resume", usage: "[id or words]", description: "go on with another session", run: resume },
  {
    name: "new",
    aliases: ["clear"],
    usage: "",
    description: "begin a new session",
    run: (host) => host.switchSession({ type: "new" }),
  },
  { name: "name", usage: "[words]", description: "give this session a name", run: name },
  { name: "history", usage: "[words]", description: "search earlier prompts", run: openHistorySearch },
  { name: "fork", usage: "", description: "go on in a copy of this session", run: fork },
  { name: "tree", usage: "", description: "go back to an earlier message", run: tree },
  { name: "undo", usage: "[turn]", description: "take back what a turn changed in files", run: undo },
  {
    name: "export",
    usage: "[html|md|jsonl]",
    description: "write the session to a file",
    choices: () => [
      { label: "html", description: "one page with all branches" },
      { label: "md", description: "to be read" },
      { label: "jsonl", description: "all entries" },
    ],
    run: exportSession,
  },
  { name: "copy", usage: "", description: "copy the last answer", run: copy },
  { name: "context", usage: "", description: "how full the conversation is", run: context },
  { name: "usage", aliases: ["cost"], usage: "", description: "tokens and cost of this session", run: usage },
];

async function resume(host: CommandHost, rest: string): Promise<void> {
  const rows = rest === "" ? await host.services.listSessions() : await host.services.searchSessions(rest);
  const [only] = rows;
  if (rest !== "" && rows.length === 1 && only !== undefined)
    return host.switchSession({ type: "resume", id: only.id });
  openSessionPicker(host, rows, Date.now());
}

async function fork(host: CommandHost): Promise<void> {
  const answer = await host.agent.call("fork", {});
  tellFailure(host, answer);
  if (answer.ok) await host.switchSession({ type: "path", path: answer.result.path });
}

async function tree(host: CommandHost): Promise<void> {
  const path = pathOf(host);
  if (path === undefined) return;
  const rows = await host.services.sessionTree(path);
  host.open(
    treeDialog({
      rows,
      onChoose(row) {
        host.closeDialog();
        void goBack(host, row);
      },
      onLabel: (row) => openLabel(host, row),
      onCancel: () => host.closeDialog(),
    }),
  );
}

async function goBack(host: CommandHost, { entryId }: TreeRow): Promise<void> {
  const answer = await host.agent.call("branch", { entryId });
  tellFailure(host, answer);
  if (answer.ok) host.say("The next message goes on from there. What was said after it stays in the session.");
}

const LONGEST_LABEL = 100;

/** An empty name takes the name away. */
function openLabel(host: CommandHost, { entryId, label = "" }: TreeRow): void {
  const setLabel = async (text: string) => {
    const named = text === "" ? null : text.slice(0, LONGEST_LABEL);
    const answer = await host.agent.call("set_label", { entryId, label: named });
    tellFailure(host, answer);
    await tree(host);
  };
  host.open(
    textDialog({
      title: "Name this place",
      label: "name",
      text: label,
      mayBeEmpty: true,
      onDone(text) {
        host.closeDialog();
        void setLabel(text);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

async function undo(host: CommandHost, rest: string): Promise<void> {
  const path = pathOf(host);
  if (path === undefined) return;
  const turn = rest === "" ? undefined : rest;
  const preview = await host.services.undo(path, turn, false);
  if (!preview.ok) return host.say(preview.message);
  host.open(
    confirmDialog({
      title: "Take this back?",
      text: preview.text,
      choices: [
        { value: true, words: "yes" },
        { value: false, words: "no" },
      ],
      safe: false,
      onAnswer(isWanted) {
        host.closeDialog();
        if (isWanted) void takeBack(host, path, turn);
      },
    }),
  );
}

async function takeBack(host: CommandHost, path: string, turn: string | undefined): Promise<void> {
  const done = await host.services.undo(path, turn, true);
  host.say(done.ok ? done.text : `**Not done:** ${done.message}`);
}

async function name(host: CommandHost, rest: string): Promise<void> {
  if (rest !== "") return setName(host, rest);
  host.open(
    textDialog({
      title: "Name this session",
      label: "name",
      text: host.state().name ?? "",
      onDone(text) {
        host.closeDialog();
        void setName(host, text);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

const LONGEST_NAME = 200;

async function setName(host: CommandHost, text: string): Promise<void> {
  const answer = await host.agent.call("set_name", { name: text.slice(0, LONGEST_NAME) });
  tellFailure(host, answer);
  if (answer.ok) host.hint(`the session is called ${answer.result.name}`);
}

async function exportSession(host: CommandHost, rest: string): Promise<void> {
  const path = pathOf(host);
  if (path === undefined) return;
  const kind = rest === "" ? "md" : rest.toLowerCase();
  if (kind !== "html" && kind !== "md" && kind !== "jsonl")
    return host.say("A session can be written as `html`, `md` or `jsonl`.");
  const done = await host.services.exportSession(path, kind);
  host.say(done.ok ? `Written to \`${done.text}\`.` : done.message);
}

async function copy(host: CommandHost): Promise<void> {
  const text = host.lastAnswer();
  if (text === "") return host.hint("there is no answer yet");
  host.hint((await host.services.copyText(text)) ? "copied" : "nothing here can copy");
}

function context(host: CommandHost): void {
  const { tokens, window } = host.state().context;
  const share = window === 0 ? 0 : Math.round((tokens / window) * 100);
  host.say(`${thousands(tokens)} of ${thousands(window)} tokens (${share}%). \`/compact\` shortens the conversation.`);
}

function usage(host: CommandHost): void {
  const { turns, usage: used, cost } = host.state().totals;
  const rows = [
    `| | |\n|---|---|`,
    `| answers | ${turns} |`,
    `| tokens in | ${used.input.toLocaleString("en-US")} |`,
    `| from the cache | ${used.cacheRead.toLocaleString("en-US")} |`,
    `| tokens out | ${used.output.toLocaleString("en-US")} |`,
    `| cost | ${cost === undefined ? "no price is known" : `$${cost.toFixed(4)}`} |`,
  ];
  host.say(rows.join("\n"));
}

function pathOf(host: CommandHost): string | undefined {
  const path = host.state().sessionPath;
  if (path === undefined) host.say("This session is not kept.");
  return path;
}
