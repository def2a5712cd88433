import type { StoredCredentials } from "../models/credentials.ts";
import type { ModelsFile } from "../models/models-file-schema.ts";
import type { CredentialStore } from "../models/stored-credentials/credential-store.ts";
import type { Clock } from "../system/clock.ts";
import type { Memo } from "../system/memo.ts";
import type { RalphPaths } from "../system/paths.ts";
import type { Arguments } from "./parse-arguments.ts";
import type { Settings } from "./settings/layers.ts";

/** What the process was given, read once in `main` and handed to whoever needs a part of it. */
export interface RunContext {
  arguments: Arguments;
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd: string;
  paths: RalphPaths;
  settings: Settings;
  /** Keys and logins that were stored. */
  credentials: CredentialStore;
  clock: Clock;
  memo: Memo;
  /** How this Ralph was started: the program and the arguments before its own. */
  selfCommand: readonly string[];
  /** Whether files of this project are obeyed: the person trusted its folder, or said so for this run. */
  isTrusted(): boolean;
  /** A line for the person, beside the output. */
  note: (line: string) => void;
  /** What goes over the wire, with `--debug`. Where it is missing, it is a note. */
  trace?: (line: string) => void;
  embedded?: Embedded;
}

/** What a program that embeds Ralph brings along beside flags and files. */
export interface Embedded {
  /** Keys it gave, which go before those of the environment. */
  keys?: StoredCredentials;
  /** In place of models.yml. */
  modelsFile?: ModelsFile;
  /** What the names of files with long output begin with. */
  artifactPrefix?: string;
}

export function flagText(context: RunContext, name: string): string | undefined {
  const value = context.arguments.flags.get(name);
  return typeof value === "string" ? value : undefined;
}

export function hasFlag(context: RunContext, name: string): boolean {
  return context.arguments.flags.has(name);
}
