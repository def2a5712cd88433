import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { version } from "../../package.json";
import type { SettingKey } from "../protocol/settings.ts";
import { systemClock } from "../system/clock.ts";
import { noMemo } from "../system/memo.ts";
import { type RalphPaths, ralphPaths } from "../system/paths.ts";
import { openStore } from "./login/open-store.ts";
import type { Embedded, RunContext } from "./run-context.ts";
import type { Settings } from "./settings/layers.ts";
import { loadSettings } from "./settings/load-settings.ts";
import { settingFlags } from "./settings/setting-flags.ts";
import { trustOf } from "./trust/project-trust.ts";

/** What a program that embeds Ralph decides itself; everything it leaves out is found as the command line finds it. */
export interface EmbedWish {
  /** The folder to work in; that of the process where it is absent. */
  cwd?: string | undefined;
  /** Holds `config/` and `data/`; the usual homes where it is absent. */
  agentDir?: string | undefined;
  /** In place of the environment of the process, whole. */
  environment?: Readonly<Record<string, string | undefined>> | undefined;
  settings?: Settings | undefined;
  /** Flags of the command line that say the same. */
  flags?: ReadonlyMap<string, string | true>;
  /** Where sessions are, if not in the usual place. */
  places?: Partial<Pick<RalphPaths, "sessions" | "blobs" | "cache">> | undefined;
  embedded?: Embedded;
  note?(line: string): void;
}

export type EmbedContext = { ok: true; context: RunContext; version: string } | { ok: false; message: string };

/** The context of an agent inside another program: the one place where such a program's environment is read. */
export async function embedContext(wish: EmbedWish): Promise<EmbedContext> {
  const found = await embedPlaces(wish);
  if (!found.ok) return found;
  const { environment, home, cwd, paths } = found;
  if (!isFolder(cwd)) return { ok: false, message: `${cwd} is not a folder. Give another cwd.` };
  const isTrusted = trustOf({ cwd, paths, clock: systemClock });
  const given = { words: [], flags: new Map(wish.flags) };
  const settings =
    wish.settings ?? (await loadSettings({ paths, cwd, environment, flags: [], memo: noMemo, isTrusted }));
  const context: RunContext = {
    arguments: given,
    environment,
    home,
    cwd,
    paths,
    settings: withFlags(settings, settingFlags(given)),
    credentials: openStore({ paths, environment, clock: systemClock }),
    clock: systemClock,
    memo: noMemo,
    selfCommand: [process.execPath, ...process.execArgv, resolve(import.meta.dir, "main.ts")],
    isTrusted,
    note: wish.note ?? (() => {}),
    ...(wish.embedded === undefined ? {} : { embedded: wish.embedded }),
  };
  return { ok: true, context, version };
}

export type EmbedPlaces =
  | ({ ok: true } & Pick<RunContext, "environment" | "home" | "cwd" | "paths">)
  | { ok: false; message: string };

/** Where the agent would work and keep its files. */
export async function embedPlaces(
  wish: Pick<EmbedWish, "cwd" | "agentDir" | "environment" | "places">,
): Promise<EmbedPlaces> {
  const environment = { ...(wish.environment ?? process.env) };
  const home = environment.HOME ?? (await import("node:os")).homedir();
  if (!isAbsolute(home)) return { ok: false, message: "HOME is not an absolute path. Set it, or hand in environment." };
  const cwd = wish.cwd === undefined ? workingDirectory() : resolve(wish.cwd);
  if (cwd === undefined) return { ok: false, message: "The working directory does not exist any more. Give a cwd." };
  const own = wish.agentDir === undefined ? environment : { ...environment, RALPH_HOME: resolve(wish.agentDir) };
  const paths = { ...ralphPaths({ home, environment: own, platform: process.platform }), ...wish.places };
  return { ok: true, environment, home, cwd, paths };
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What was said for this agent stands above every setting. */
function withFlags(settings: Settings, flags: readonly { key: SettingKey; flag: string; value: string }[]): Settings {
  const values: Record<string, unknown> = { ...settings.values };
  const history = new Map(settings.history);
  for (const { key, flag, value } of flags) {
    values[key] = value;
    history.set(key, [...(history.get(key) ?? []), { origin: { layer: "flag", place: flag }, value }]);
  }
  return { ...settings, values: values as Settings["values"], history };
}
