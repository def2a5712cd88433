import { SETTING_ROWS } from "../protocol/setting-rows.ts";
import { COMMANDS } from "./command-line.ts";
import type { FlagRow } from "./flag-rows.ts";
import { FLAGS } from "./flags.ts";

export type Shell = "bash" | "zsh" | "fish";

/** The completion script of a shell, made from the same tables as the parser. */
export const completionScripts: Record<Shell, () => string> = { bash: bashScript, zsh: zshScript, fish: fishScript };

function bashScript(): string {
  const valued = FLAGS.filter((row) => row.choices !== undefined);
  const cases = [
    ...valued.map(
      (row) => `    --${row.name}) COMPREPLY=($(compgen -W "${row.choices?.join(" ")}" -- "$current")); return ;;`,
    ),
    ...COMMANDS.filter((row) => row.words !== undefined).map(
      (row) => `    ${row.name}) COMPREPLY=($(compgen -W "${row.words?.join(" ")}" -- "$current")); return ;;`,
    ),
    `    why) COMPREPLY=($(compgen -W "${Object.keys(SETTING_ROWS).join(" ")}" -- "$current")); return ;;`,
    `    help) COMPREPLY=($(compgen -W "${COMMANDS.map((row) => row.name).join(" ")}" -- "$current")); return ;;`,
    '    --system-prompt-file) COMPREPLY=($(compgen -f -- "$current")); return ;;',
    // A value that is no file must not be completed as one.
    `    ${FLAGS.filter(hasFreeValue)
      .map((row) => `--${row.name}`)
      .join("|")}) compopt +o default; return ;;`,
  ];
  return `_ralph() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$previous" in
${cases.join("\n")}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "${FLAGS.map((row) => `--${row.name}`).join(" ")}" -- "$current"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${COMMANDS.map((row) => row.name).join(" ")}" -- "$current"))
  fi
}
complete -o default -F _ralph ralph
`;
}

function hasFreeValue(row: FlagRow): boolean {
  return row.value !== undefined && row.value !== "FILE" && row.choices === undefined;
}

function zshScript(): string {
  const commands = COMMANDS.map((row) => `    '${row.name}:${quoted(row.description)}'`).join("\n");
  const words = COMMANDS.filter((row) => row.words !== undefined).map(
    (row) => `    ${row.name}) _values '${row.name}' ${row.words?.join(" ")} ;;`,
  );
  return `#compdef ralph
_ralph_first() {
  local -a commands=(
${commands}
  )
  _describe 'command' commands
}
_ralph_rest() {
  case "$words[2]" in
${words.join("\n")}
    *) _files ;;
  esac
}
_arguments -s \\
${FLAGS.map(zshFlag).join(" \\\n")} \\
  '1: :_ralph_first' \\
  '*: :_ralph_rest'
`;
}

function zshFlag(row: FlagRow): string {
  const names = row.short === undefined ? `--${row.name}` : `{-${row.short},--${row.name}}`;
  const description = `[${quoted(row.description).replaceAll("[", "(").replaceAll("]", ")")}]`;
  if (row.value === undefined) return `  ${names}'${description}'`;
  const values = row.choices === undefined ? (row.value === "FILE" ? "_files" : " ") : `(${row.choices.join(" ")})`;
  return `  ${names}${row.optionalValue === undefined ? "=" : ""}'${description}:${row.value}:${values}'`;
}

function fishScript(): string {
  const commands = COMMANDS.map(
    (row) => `complete -c ralph -f -n __fish_use_subcommand -a ${row.name} -d '${quoted(row.description)}'`,
  );
  const words = COMMANDS.filter((row) => row.words !== undefined).map(
    (row) => `complete -c ralph -f -n '__fish_seen_subcommand_from ${row.name}' -a '${row.words?.join(" ")}'`,
  );
  const flags = FLAGS.map((row) => {
    const short = row.short === undefined ? "" : ` -s ${row.short}`;
    const value =
      row.value === undefined ? "" : row.choices === undefined ? " -r" : ` -x -a '${row.choices.join(" ")}'`;
    return `complete -c ralph -l ${row.name}${short}${value} -d '${quoted(row.description)}'`;
  });
  return `${[...commands, ...words, ...flags].join("\n")}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "’").replaceAll(":", " -");
}
