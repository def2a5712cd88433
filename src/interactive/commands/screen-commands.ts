import { readableChord } from "../../tui/components/key-hints.ts";
import { chooseDialog } from "../dialogs/choose.ts";
import { ACTIONS, placeOf } from "../keys/actions.ts";
import { nearestName } from "../nearest-name.ts";
import { THEMES } from "../theme-named.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";

// Commands about Ralph itself: help, keys, looks, settings, leaving.

export const SCREEN_COMMANDS: readonly SlashCommand[] = [
  {
    name: "help",
    usage: "[command]",
    description: "what can be done",
    choices: (_services, commands) => commands.map(({ name, description }) => ({ label: name, description })),
    run: help,
  },
  { name: "hotkeys", usage: "", description: "the keys and what they do", run: hotkeys },
  {
    name: "theme",
    usage: `[${THEMES.join("|")}]`,
    description: "what it looks like",
    choices: () => THEMES.map((label) => ({ label })),
    run: theme,
  },
  {
    name: "permissions",
    usage: "",
    description: "the rules in force",
    run: async (host) => host.say(await host.services.permissionsText()),
  },
  {
    name: "settings",
    usage: "",
    description: "the settings and where they come from",
    run: async (host) => host.say(await host.services.settingsText()),
  },
  {
    name: "doctor",
    usage: "",
    description: "what is missing and how to fix it",
    run: async (host) => host.say(await host.services.doctorText()),
  },
  { name: "exit", aliases: ["quit", "q"], usage: "", description: "leave", run: (host) => host.exit() },
];

function help(host: CommandHost, rest: string): void {
  const wanted = rest.replace(/^\//, "").toLowerCase();
  const rows = host
    .commands()
    .filter(({ name, aliases = [] }) => [name.toLowerCase(), ...aliases, ""].includes(wanted));
  if (rows.length === 0) {
    const near = nearestName(
      wanted,
      host.commands().map(({ name }) => name),
    );
    return host.say(`There is no command \`/${wanted}\`.${near === undefined ? "" : ` Is \`/${near}\` meant?`}`);
  }
  const hints =
    "`@` names a file, `/hotkeys` shows the keys, Esc stops the work. `[…]` may be left out, `a|b` is one of these.";
  host.say(`| command | |\n|---|---|\n${rows.map(helpRow).join("\n")}${wanted === "" ? `\n\n${hints}` : ""}`);
}

function helpRow({ name, usage, description, aliases = [] }: SlashCommand): string {
  const also = aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
  const grammar = usage === "" ? "" : ` ${cell(usage)}`;
  return `| \`/${name}${grammar}\` | ${cell(description)}${also} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

const GROUPS: readonly { title: string; isOf(id: string): boolean }[] = [
  { title: "Ralph", isOf: (id) => id.startsWith("app.") && placeOf(id) === "prompt" },
  { title: "Writing", isOf: (id) => id.startsWith("tui.input.") || id.startsWith("tui.editor.") },
  { title: "Lists and trees", isOf: (id) => placeOf(id) === "list" },
];

/** The chords in force. What a person bound is marked, and what is bound to nothing says so. */
function hotkeys(host: CommandHost): void {
  const { keys } = host;
  const tables = GROUPS.map(({ title, isOf }) => {
    const rows = ACTIONS.filter(({ id }) => isOf(id)).map(({ id, description }) => {
      const chords = keys.chordsOf(id).map((chord) => `\`${cell(readableChord(chord))}\``);
      return `| ${chords.join(" ") || "none"}${keys.isRemapped(id) ? " (yours)" : ""} | ${description} | ${id} |`;
    });
    return `**${title}**\n\n| keys | | action |\n|---|---|---|\n${rows.join("\n")}`;
  });
  const preset = keys.preset === "default" ? "" : `\n\nPreset: ${keys.preset}`;
  host.say(`${tables.join("\n\n")}${preset}\n\n\`keybindings.json\` in the configuration folder changes them.`);
}

function theme(host: CommandHost, rest: string): void {
  if (rest !== "" && !host.setTheme(rest.toLowerCase()))
    return host.say(`There is no theme \`${rest}\`. There are: ${THEMES.join(", ")}.`);
  if (rest !== "") return;
  host.open(
    chooseDialog({
      title: "Theme",
      emptyText: "nothing fits",
      items: THEMES.map((name) => ({ value: name, label: name })),
      onChoose(name) {
        host.closeDialog();
        host.setTheme(name);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}
