import { isAbsolute } from "node:path";
import { systemClock } from "../system/clock.ts";
import { fileMemo, noMemo } from "../system/memo.ts";
import { ralphPaths } from "../system/paths.ts";
import { COMMANDS } from "./command-line.ts";
import { EXIT } from "./exit-codes.ts";
import { openStore } from "./login/open-store.ts";
import { OutputFailure, print } from "./output.ts";
import { type Arguments, parseArguments, unknown } from "./parse-arguments.ts";
import { printable } from "./printable.ts";
import type { RunContext } from "./run-context.ts";
import { loadSettings } from "./settings/load-settings.ts";
import { settingFlags } from "./settings/setting-flags.ts";
import { trustOf } from "./trust/project-trust.ts";

/** Which program this is; `build` is absent when it runs from source. */
export interface Program {
  version: string;
  build: string | undefined;
}

/** From argv to an exit code. Only this folder reads argv and the environment. */
export async function run(argv: string[], program: Program): Promise<number> {
  const parsed = parseArguments(argv);
  if (!parsed.ok) return refuse(parsed.message);
  try {
    return await dispatch(parsed.arguments, program);
  } catch (error) {
    if (error instanceof OutputFailure) note(error.message);
    return error instanceof OutputFailure ? EXIT.failed : crashed(error, parsed.arguments.flags.has("debug"));
  }
}

async function dispatch(given: Arguments, program: Program): Promise<number> {
  const { command, flags, words } = given;
  const { version } = program;
  if (flags.has("version")) return say(`ralph ${version}\n`);
  if (flags.has("help") || command?.name === "help") return help(command?.name === "help" ? words[0] : command?.name);
  if (command?.name === "completion") return completion(words[0]);
  if (workingDirectory() === undefined)
    return refuse("The working directory does not exist any more. Go to another folder and try again.");
  const context = await createContext(given, program);
  if (context === undefined)
    return refuse("HOME is not an absolute path. Set it, so that your own files can be found.");
  if (command !== undefined) return runCommand(command.name, context, version);
  if (flags.has("login")) return runCommand("login", context, version);
  if (flags.has("logout")) return runCommand("logout", context, version);
  if (flags.has("list-models")) return (await import("./commands/models.ts")).listModels(context);
  return (await import("./commands/ask.ts")).ask(context, version);
}

type Command = (context: RunContext, version: string) => number | Promise<number>;

/** Each is loaded when it is asked for. */
const RUN: Readonly<Record<string, () => Promise<Command>>> = {
  models: async () => (await import("./commands/models.ts")).models,
  login: async () => (await import("./login/login.ts")).login,
  logout: async () => (await import("./login/logout.ts")).logout,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  config: async () => (await import("./commands/config.ts")).config,
  sessions: async () => (await import("./commands/sessions.ts")).sessions,
  replay: async () => (await import("./commands/replay.ts")).replay,
  why: async () => (await import("./commands/why.ts")).why,
  permissions: async () => (await import("./commands/permissions.ts")).permissions,
  secrets: async () => (await import("./commands/secrets.ts")).secrets,
  trust: async () => (await import("./commands/trust.ts")).trust,
  undo: async () => (await import("./commands/undo.ts")).undo,
  setup: async () => (await import("./commands/setup.ts")).setup,
  init: async () => (await import("./loop/init.ts")).init,
  run: async () => (await import("./loop/run.ts")).run,
  understand: async () => (await import("./loop/run.ts")).understand,
  demo: async () => (await import("./loop/demo/demo.ts")).demo,
  status: async () => (await import("./loop/status.ts")).status,
  attach: async () => (await import("./loop/attach.ts")).attach,
  stop: async () => (await import("./loop/stop.ts")).stop,
  checkpoint: async () => (await import("./loop/stop.ts")).checkpoint,
  inject: async () => (await import("./loop/inject.ts")).inject,
  logs: async () => (await import("./loop/logs.ts")).logs,
  receipts: async () => (await import("./loop/receipts.ts")).receipts,
  acp: async () => (await import("./acp/acp.ts")).acp,
  mcp: async () => (await import("./mcp/mcp.ts")).mcp,
};

async function runCommand(name: string, context: RunContext, version: string): Promise<number> {
  const load = RUN[name];
  if (load === undefined) throw new Error(`The command ${name} is known, but nothing runs it.`);
  return (await load())(context, version);
}

async function createContext(given: Arguments, { build }: Program): Promise<RunContext | undefined> {
  const environment = process.env;
  const home = await homeDirectory(environment.HOME);
  if (home === undefined) return undefined;
  const cwd = workingDirectory() ?? "/";
  const paths = ralphPaths({ home, environment, platform: process.platform });
  const memo = build === undefined ? noMemo : fileMemo(paths.cache, build);
  const isTrusted = given.flags.has("trust") ? () => true : trustOf({ cwd, paths, clock: systemClock });
  const settings = await loadSettings({ paths, cwd, environment, flags: settingFlags(given), memo, isTrusted });
  const selfCommand = build === undefined ? [process.execPath, ...process.execArgv, Bun.main] : [process.execPath];
  const credentials = openStore({ paths, environment, clock: systemClock });
  const own = { credentials, memo, selfCommand, isTrusted, note };
  return { arguments: given, environment, home, cwd, paths, settings, clock: systemClock, ...own };
}

/** Undefined where it was removed under us. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** A HOME that is empty or relative would make whatever folder this is the user's own. */
async function homeDirectory(given: string | undefined): Promise<string | undefined> {
  const home = given ?? (await import("node:os")).homedir();
  return isAbsolute(home) ? home : undefined;
}

async function help(topic: string | undefined): Promise<number> {
  const { commandHelp, helpText } = await import("./help.ts");
  if (topic === undefined) return say(helpText());
  const command = COMMANDS.find((row) => row.name === topic);
  return command === undefined
    ? refuse(
        unknown(
          "command",
          topic,
          COMMANDS.map((row) => row.name),
        ),
      )
    : say(commandHelp(command));
}

async function completion(shell: string | undefined): Promise<number> {
  const { completionScripts } = await import("./completion.ts");
  if (shell === "bash" || shell === "zsh" || shell === "fish") return say(completionScripts[shell]());
  return refuse("Name the shell: ralph completion bash, zsh or fish.");
}

function say(text: string): number {
  print(text);
  return EXIT.done;
}

function refuse(message: string): number {
  note(message);
  return EXIT.usage;
}

function note(line: string): void {
  process.stderr.write(`ralph: ${printable(line)}\n`);
}

function crashed(error: unknown, debug: boolean): number {
  const message = error instanceof Error ? error.message : String(error);
  note(`This is a bug in Ralph: ${message}${debug ? "" : ". Run again with --debug for details."}`);
  if (debug && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return EXIT.failed;
}
