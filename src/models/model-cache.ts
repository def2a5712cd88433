import { existsSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { asString, at } from "../protocol/json.ts";
import { type Model, model } from "../protocol/models.ts";
import { ensureDirectory } from "../system/files.ts";
import { openDatabase } from "../system/sqlite.ts";
import type { Discovered } from "./discovery.ts";

// The models that servers listed when they were last asked. A row holds a provider's whole list, with its built-in models
// already merged in, and a fingerprint of those: while they are the same, the list is used exactly as it stands.

/** Schema 3; a list that is read by an older version is still understood. */
const MIGRATIONS = [
  "CREATE TABLE model_cache (provider TEXT PRIMARY KEY, models TEXT NOT NULL) STRICT",
  "ALTER TABLE model_cache ADD COLUMN fetched_at INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE model_cache ADD COLUMN static_fingerprint TEXT NOT NULL DEFAULT ''",
];

export type StaticModels = (provider: string) => readonly Model[];

/** Every list of the cache; empty where there is none or it cannot be read, because a cache may always be missing. */
export async function readModelCache(path: string, staticModels: StaticModels): Promise<Model[]> {
  if (!existsSync(path)) return [];
  const opened = await openDatabase(path, { migrations: MIGRATIONS });
  if (!opened.ok) return [];
  const rows = opened.database.read((connection) =>
    connection.query("SELECT * FROM model_cache ORDER BY provider").all(),
  );
  await opened.database.close();
  return rows.ok ? rows.value.flatMap((row) => modelsOfRow(row, staticModels)) : [];
}

export interface CacheEntry {
  found: Discovered[];
  staticModels: StaticModels;
  now: number;
}

/** Remembers what the servers that answered have listed; a cache that cannot be written is done without. */
export async function writeModelCache(path: string, { found, staticModels, now }: CacheEntry): Promise<void> {
  const answered = found.filter(({ problem }) => problem === undefined);
  if (answered.length === 0 || !(await ensureDirectory(dirname(path), 0o700)).ok) return;
  const opened = await openDatabase(path, { migrations: MIGRATIONS });
  if (!opened.ok) return;
  await opened.database.write((connection) => {
    const insert = connection.query(
      "INSERT OR REPLACE INTO model_cache (provider, models, fetched_at, static_fingerprint) VALUES (?, ?, ?, ?)",
    );
    for (const { provider, models } of answered) {
      const known = staticModels(provider);
      insert.run(provider, JSON.stringify(mergedList(known, models)), now, fingerprintOf(known));
    }
  });
  await opened.database.close();
}

const fingerprints = new WeakMap<readonly Model[], string>();

/** Two lists have the same fingerprint when they say the same. */
export function fingerprintOf(models: readonly Model[]): string {
  const known = fingerprints.get(models);
  if (known !== undefined) return known;
  const made = new Bun.CryptoHasher("sha256").update(JSON.stringify(models)).digest("hex");
  fingerprints.set(models, made);
  return made;
}

function modelsOfRow(row: unknown, staticModels: StaticModels): Model[] {
  const provider = asString(at(row, "provider")) ?? "";
  const listed = parsedModels(asString(at(row, "models")) ?? "[]", provider);
  const known = staticModels(provider);
  return at(row, "static_fingerprint") === fingerprintOf(known) ? listed : mergedList(known, listed);
}

/** What the built-in rows say of a model is newer than what a list remembers of it. */
function mergedList(known: readonly Model[], listed: readonly Model[]): Model[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...listed.filter(({ id }) => !ids.has(id))];
}

/** Rows are written by Ralph alone; a damaged one counts as empty. */
function parsedModels(text: string, provider: string): Model[] {
  try {
    const parsed = z.array(model).safeParse(JSON.parse(text));
    return parsed.success && parsed.data.every((listed) => listed.provider === provider) ? parsed.data : [];
  } catch {
    return [];
  }
}
