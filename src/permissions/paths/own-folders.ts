import { partsOf, resolveSafely } from "./resolve-safely.ts";

/** Where Ralph keeps what belongs to the user, absolute. */
export interface OwnFolders {
  config: string;
  data: string;
}

/** A folder of Ralph's own, wherever it was moved, and the names it has where nobody moved it. */
export interface OwnPlace {
  path: string;
  /** Those of the path, from the root. */
  names: readonly string[];
  as: readonly string[];
}

export interface OwnPlaces {
  config: OwnPlace[];
  data: OwnPlace[];
}

/** As they were named and, where that goes over links, where they really are. Made once for many paths. */
export function ownPlaces({ config, data }: OwnFolders): OwnPlaces {
  return { config: placesOf(config, STANDARD_CONFIG), data: placesOf(data, STANDARD_DATA) };
}

const STANDARD_CONFIG = [".config", "ralph"];
const STANDARD_DATA = [".local", "share", "ralph"];

function placesOf(folder: string, as: readonly string[]): OwnPlace[] {
  const paths = folder.startsWith("/") ? [folder, resolveSafely(folder).path] : [folder];
  return [...new Set(paths)].map((path) => ({ path, names: partsOf(path), as }));
}

/** The names a path has below these places, as if nobody had moved them. */
export function namesIn(places: readonly OwnPlace[], path: string): string[][] {
  const names = partsOf(path);
  const holding = places.filter((place) => place.names.every((name, at) => name === names[at]));
  return holding.map((place) => [...place.as, ...names.slice(place.names.length)]);
}
