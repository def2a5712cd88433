import { isAbsolute, relative, resolve, sep } from "node:path";
import type { ModelScope, ModelSettings, ScopedEntry, ScopedList } from "./model-settings.ts";

// Which entries of enabledModels and disabledProviders count in a working directory.

export interface Place {
  cwd: string;
  home: string;
}

export function modelScope(settings: ModelSettings, place: Place): ModelScope {
  return {
    enabledModels: scopedValues(settings.enabledModels ?? [], "models", place),
    disabledProviders: scopedValues(settings.disabledProviders ?? [], "providers", place),
    modelProviderOrder: settings.modelProviderOrder ?? [],
  };
}

/** In the order written, each once. */
export function scopedValues(entries: ScopedEntry[], key: "models" | "providers", place: Place): string[] {
  const values = entries.flatMap((entry) => {
    if (typeof entry === "string") return [entry];
    return foldersOf(entry).some((folder) => isInside(folder, place))
      ? [...(entry[key] ?? []), ...(entry.values ?? [])]
      : [];
  });
  return [...new Set(values)];
}

function foldersOf({ path, paths = [], pathPrefix, pathPrefixes = [] }: ScopedList): string[] {
  return [path, ...paths, pathPrefix, ...pathPrefixes].filter(
    (folder) => folder !== undefined && folder !== "",
  ) as string[];
}

/** Relative folders count from the home directory, as in every file that belongs to a user and not to a project. */
function isInside(folder: string, { cwd, home }: Place): boolean {
  const expanded = folder === "~" || /^~[/\\]/.test(folder) ? `.${folder.slice(1)}` : folder;
  const way = relative(resolve(home, expanded), resolve(cwd));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
