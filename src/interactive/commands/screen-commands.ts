import { readableChord } from "../../tui/components/key-hints.ts";
import { ACTIONS } from "../keys/actions.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";

// Commands about Ralph itself: help, keys, looks, settings, leaving.

export const SCREEN_COMMANDS: readonly SlashCommand[] = [
  { name: "help", usage: "[command]", description: "what can be done", run: help },
  { name: "hotkeys", usage: "", description: "the keys and what they do", run: hotkeys },
  { name: "theme", usage: "[dark|light|high-contrast|ascii]", description: "what it looks like", run: theme },
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
  const rows = host.commands().filter(({ name }) => wanted === "" || name === wanted);
  const lines = rows.map(({ name, usage, description, aliases = [] }) => {
    const also = aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
    return `| \`/${name}${usage === "" ? "" : ` ${usage.replaceAll("|", "\\|")}`}\` | ${description}${also} |`;
  });
  if (lines.length === 0) return host.say(`There is no command \`/${wanted}\`.`);
  const hints = "`@` names a file, `/hotkeys` shows the keys, Esc stops the work.";
  host.say(`| command | |\n|---|---|\n${lines.join("\n")}${wanted === "" ? `\n\n${hints}` : ""}`);
}

function hotkeys(host: CommandHost): void {
  const rows = ACTIONS.map(({ id, description }) => {
    const chords = host.keys.chordsOf(id).map((chord) => `\`${readableChord(chord)}\``);
    return `| ${chords.join(" ") || "none"} | ${description} | ${id} |`;
  });
  host.say(`| keys | | action |\n|---|---|---|\n${rows.join("\n")}`);
}

function theme(host: CommandHost, rest: string): void {
  if (rest === "" || !host.setTheme(rest))
    host.say("There are the themes `dark`, `light`, `high-contrast` and `ascii`.");
}
