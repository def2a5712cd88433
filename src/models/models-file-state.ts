import type { ModelsFile } from "./models-file-schema.ts";

/** Something in models.yml that keeps it from being used. */
export interface ModelsFileProblem {
  file: string;
  /** Counts from 1, as `column` does. */
  line: number;
  column?: number;
  /** Such as providers.my.models[0].contextWindow; empty where the whole file is meant. */
  key: string;
  message: string;
  remedy: string;
}

/** `notices` are lines for the user about what was done on the way, such as a migration. */
export type ModelsFileState =
  | { type: "none"; path: string }
  | { type: "loaded"; path: string; file: ModelsFile; notices: string[] }
  | { type: "broken"; path: string; problems: ModelsFileProblem[]; notices: string[] };

/** One line per problem, as the command line and the screen show it. */
export function formatProblem({ file, line, column, key, message, remedy }: ModelsFileProblem): string {
  const place = column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
  return `${place}: ${key === "" ? "" : `${key}: `}${message} ${remedy}`;
}
