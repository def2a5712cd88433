import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { CommandNeeds } from "../../protocol/asks.ts";
import type { CommandAnalysis, Segment } from "../shell/command-analysis.ts";
import { baseName } from "../shell/rules.ts";
import { commandPaths } from "./command-paths.ts";
import type { GateWorld } from "./policy.ts";

// What the sandbox has to be opened for so that a command can do what its words say. Whoever allows the command allows this.

export function needsInWords(analysis: CommandAnalysis, world: GateWorld): CommandNeeds {
  const { segments } = analysis;
  return needs({
    network: segments.some(({ network }) => network),
    writable: placesWritten(segments, world),
    // Whatever else is in the line leaves the sandbox with it, so it may only look on.
    unsandboxed:
      segments.some(actsForPerson) && segments.every((segment) => actsForPerson(segment) || looksOn(segment)),
  });
}

/** Only what is needed stands in it. */
export function needs({ network, writable = [], unsandboxed }: CommandNeeds): CommandNeeds {
  return {
    ...(network ? { network } : {}),
    ...(writable.length > 0 ? { writable } : {}),
    ...(unsandboxed ? { unsandboxed } : {}),
  };
}

export function hasNeeds(wanted: CommandNeeds): boolean {
  return Object.keys(wanted).length > 0;
}

/** Programs that work with the person's own keys, services or git configuration, all of which the sandbox keeps from commands. */
const ACTS_FOR_PERSON = /^(ssh|scp|sftp|docker|podman|kubectl|helm|terraform|aws|gcloud|az|gh)$/;
const GIT_ACTS_FOR_PERSON = /^(push|pull|fetch|clone|ls-remote|submodule|remote|init|config|worktree)$/;

function actsForPerson({ words, shorter, effect }: Segment): boolean {
  const [program = "", command = ""] = shorter ?? words;
  if (ACTS_FOR_PERSON.test(baseName(program))) return true;
  return baseName(program) === "git" && GIT_ACTS_FOR_PERSON.test(command) && effect !== "read";
}

function looksOn({ neutral, effect, concerns, nested }: Segment): boolean {
  return neutral || (effect === "read" && concerns.length === 0 && !nested);
}

function placesWritten(segments: readonly Segment[], world: GateWorld): string[] {
  const verdictOf = commandPaths(world.classify, world.workspace);
  const written = segments.flatMap(({ paths }) =>
    paths.flatMap(({ kind, path, pattern }) => (kind === "write" && path !== undefined && !pattern ? [path] : [])),
  );
  const outside = written.flatMap((path) => {
    const verdict = verdictOf(path, "write");
    return verdict.class === "external" ? [verdict.resolved || path] : [];
  });
  return [...new Set(outside.flatMap((path) => placeToOpen(path, world)))];
}

/** Programs exchange a file by making another beside it, so a file that is to be made needs its folder. */
function placeToOpen(path: string, world: GateWorld): string[] {
  let place = path;
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  const kind = statSync(place, { throwIfNoEntry: false });
  if (kind === undefined || !(kind.isFile() || kind.isDirectory())) return [];
  return isTooWide(place, world) ? [] : [place];
}

/** Devices, the temporary files everybody shares, and whatever holds the home or the workspace. */
function isTooWide(place: string, { home, workspace }: GateWorld): boolean {
  if (/^\/(dev|proc|sys|run)(\/|$)/.test(place) || ["/", "/tmp", "/var/tmp"].includes(place)) return true;
  return [home, workspace].some((folder) => folder === place || folder.startsWith(`${place}/`));
}
