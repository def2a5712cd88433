// Words of cmd.exe and PowerShell, for matching prefix rules only. Neither is parsed: a line is plain or it is not.
//
// Plain means: one command, words of a small set of characters, double quotes (and for PowerShell single quotes) around text without
// anything the shell would look at. Pipes, chains, redirections, variables, escapes, blocks, sub-expressions and new lines make it not
// plain, and then no rule matches and a person is asked.

export type WindowsShell = "cmd" | "powershell";

/** The words of a plain command; undefined for everything else. */
export function windowsWords(text: string, shell: WindowsShell): string[] | undefined {
  const line = text.trim();
  if (line === "" || line.length > MAXIMUM_LENGTH) return undefined;
  const word = shell === "cmd" ? CMD_WORD : POWERSHELL_WORD;
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    word.lastIndex = at;
    const match = word.exec(line);
    if (match === null) return undefined;
    words.push(unquote(match[1] ?? "", shell));
    at = word.lastIndex;
  }
  const [program = ""] = words;
  return isName(program, shell) ? words : undefined;
}

/** Programs and built-ins that read their arguments as code again. */
const RUNS_CODE =
  /^(cmd|powershell|pwsh|call|start|for|if|set|setlocal|rem|wscript|cscript|mshta|rundll32|regsvr32|wmic|forfiles|invoke-expression|iex|invoke-command|icm|start-process|saps|&|\.)(\.exe)?$/i;

function isName(program: string, shell: WindowsShell): boolean {
  if (RUNS_CODE.test(program)) return false;
  return shell === "cmd" ? /^[\w.-]+$/.test(program) : /^[A-Za-z][\w.-]*$/.test(program);
}

const MAXIMUM_LENGTH = 8_191;
const CMD_WORD = /((?:[\w./\\:@+=,~#-]+|"[\w ./\\:@+=,~#'()[\]{};-]*")+)(?:[ \t]+|$)/y;
const POWERSHELL_WORD =
  /((?:[\w./\\:+=~-]+)|"[\w ./\\:@+=,~#'()[\]{};-]*"|'[\w ./\\:@+=,~#()[\]{};$|&<>*?!%^-]*')(?:[ \t]+|$)/y;

function unquote(word: string, shell: WindowsShell): string {
  if (shell === "cmd") return word.replaceAll('"', "");
  return /^["']/.test(word) ? word.slice(1, -1) : word;
}
