/** The shell that reads a command, without anybody's start-up files. */
export function shellProgram(command: string, environment: Readonly<Record<string, string | undefined>>): string[] {
  const bash = Bun.which("bash", { PATH: environment.PATH ?? DEFAULT_PATH });
  return bash === null ? ["sh", "-c", command] : [bash, "--norc", "--noprofile", "-c", command];
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
const SUMMARY_LENGTH = 160;

/** A command in one line, for a person. */
export function commandSummary(command: string): string {
  const line = command.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH - 1)}…` : line;
}
