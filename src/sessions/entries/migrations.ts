import { asNumber } from "../../protocol/json.ts";

/** Changes one entry of the version before into one of the next. A line it cannot use is returned as it is. */
export type EntryMigration = (entry: Record<string, unknown>) => Record<string, unknown>;

/** The migration at place n leads from version n + 1 to n + 2. The list only ever grows at its end. */
export const MIGRATIONS: readonly EntryMigration[] = [];

/** The version this Ralph writes. */
export const CURRENT_VERSION = MIGRATIONS.length + 1;

export function migrateEntry(
  entry: Record<string, unknown>,
  version: number,
  migrations: readonly EntryMigration[] = MIGRATIONS,
): Record<string, unknown> {
  return migrations.slice(version - 1).reduce((current, migration) => migration(current), entry);
}

/** Undefined when the header names no version that ever was. */
export function versionOf(header: Record<string, unknown>): number | undefined {
  const version = asNumber(header.version);
  return version !== undefined && Number.isInteger(version) && version >= 1 ? version : undefined;
}
