import { chooseDialog } from "../dialogs/choose.ts";
import { shownAge } from "../status/shown-age.ts";
import { thousands } from "../status/status-line.ts";
import { tellFailure } from "./agent-commands.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";

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
  { name: "fork", usage: "", description: "go on in a copy of this session", run: fork },
  { name: "tree", usage: "", description: "go back to an earlier message", run: tree },
  { name: "undo", usage: "[turn]", description: "take back what a turn changed in files", run: undo },
  { name: "export", usage: "[md|jsonl]", description: "write the session to a file", run: exportSession },
  { name: "copy", usage: "", description: "copy the last answer", run: copy },
  { name: "context", usage: "", description: "how full the conversation is", run: context },
  { name: "usage", aliases: ["cost"], usage: "", description: "tokens and cost of this session", run: usage },
];

async function resume(host: CommandHost, rest: string): Promise<void> {
  const rows = rest === "" ? await host.services.listSessions() : await host.services.searchSessions(rest);
  const [only] = rows;
  if (rest !== "" && rows.length === 1 && only !== undefined)
    return host.switchSession({ type: "resume", id: only.id });
  const now = Date.now();
  host.open(
    chooseDialog({
      title: "Resume a session",
      emptyText: "there is no other session here",
      items: rows.map(({ id, name, preview, changedAt, messages, isCurrent }) => ({
        value: id,
        label: name || preview || id.slice(0, 8),
        description: `${shownAge(now - changedAt)} · ${messages} messages${isCurrent ? " · this one" : ""}`,
        isDisabled: isCurrent,
        words: `${id} ${preview}`,
      })),
      onChoose(id) {
        host.closeDialog();
        void host.switchSession({ type: "resume", id });
      },
      onCancel: () => host.closeDialog(),
    }),
  );
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
    chooseDialog({
      title: "Go back to",
      emptyText: "nothing was said yet",
      selected: Math.max(0, rows.length - 1),
      items: rows.map(({ entryId, depth, role, text, isOnBranch }) => ({
        value: entryId,
        label: `${"  ".repeat(Math.min(depth, 8))}${role === "user" ? "> " : "  "}${text}`,
        ...(isOnBranch ? {} : { description: "another branch" }),
      })),
      onChoose(entryId) {
        host.closeDialog();
        void goBack(host, entryId);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

async function goBack(host: CommandHost, entryId: string): Promise<void> {
  const answer = await host.agent.call("branch", { entryId });
  tellFailure(host, answer);
  if (answer.ok) host.say("The next message goes on from there. What was said after it stays in the session.");
}

async function undo(host: CommandHost, rest: string): Promise<void> {
  const path = pathOf(host);
  if (path === undefined) return;
  const turn = rest === "" ? undefined : rest;
  const preview = await host.services.undo(path, turn, false);
  if (!preview.ok) return host.say(preview.message);
  host.say(`\`\`\`\n${preview.text}\n\`\`\``);
  host.open(
    chooseDialog({
      title: "Take this back?",
      emptyText: "",
      items: [
        { value: false, label: "no" },
        { value: true, label: "yes" },
      ],
      onChoose(isWanted) {
        host.closeDialog();
        if (isWanted)
          void host.services.undo(path, turn, true).then((done) => host.say(done.ok ? done.text : done.message));
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

async function exportSession(host: CommandHost, rest: string): Promise<void> {
  const path = pathOf(host);
  if (path === undefined) return;
  if (rest !== "" && rest !== "md" && rest !== "jsonl") return host.say("A session can be written as `md` or `jsonl`.");
  const done = await host.services.exportSession(path, rest === "jsonl" ? "jsonl" : "md");
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
