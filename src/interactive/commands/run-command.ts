import { nearestName } from "../nearest-name.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";

export interface ReadCommand {
  name: string;
  rest: string;
}

/** A slash and a word at the very beginning; a path (`/etc/hosts is …`) is none. `!ls` means `/run ls`. */
export function readCommand(text: string): ReadCommand | undefined {
  const own = /^!([\s\S]*\S)/.exec(text.trim())?.[1];
  if (own !== undefined) return { name: "run", rest: own.trim() };
  const match = /^\/([A-Za-z][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match === null ? undefined : { name: match[1] ?? "", rest: (match[2] ?? "").trim() };
}

export function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand | undefined {
  const wanted = name.toLowerCase();
  return commands.find((command) => command.name.toLowerCase() === wanted || command.aliases?.includes(wanted));
}

/** Runs the command the text names. What fails in it is said, and the conversation goes on. */
export async function runCommand(host: CommandHost, { name, rest }: ReadCommand): Promise<void> {
  const command = findCommand(host.commands(), name);
  if (command === undefined) {
    const names = host.commands().flatMap((one) => [one.name, ...(one.aliases ?? [])]);
    const near = nearestName(name, names);
    const known = host.commands().map((one) => `/${one.name}`);
    const advice = near === undefined ? `There are: ${known.join(" ")}` : `Is \`/${near}\` meant? /help shows all.`;
    host.say(`There is no command \`/${name}\`. ${advice}`);
    return;
  }
  await command.run(host, rest);
}
