import { describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Database, type Migration, openDatabase, sqliteVersion, versionProblem } from "../../src/system/sqlite.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const newPath = () => join(directory(), "test.db");
const notes: Migration = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)";
const module = JSON.stringify(join(import.meta.dir, "../../src/system/sqlite.ts"));

async function opened(path: string, migrations: readonly Migration[] = [notes], busyMs?: number): Promise<Database> {
  const result = await openDatabase(path, { migrations, busyMs });
  if (!result.ok) throw new Error(result.message);
  return result.database;
}

const insert = (database: Database, text: string) =>
  database.write((connection) => Number(connection.run("INSERT INTO notes (text) VALUES (?)", [text]).lastInsertRowid));
const texts = (database: Database) =>
  database.read((connection) => connection.query("SELECT text FROM notes ORDER BY id").values().flat());

describe("opening", () => {
  test("sets up a durable database that only the user can read", async () => {
    const path = newPath();
    const database = await opened(path);
    await insert(database, "a");
    const pragmas = ["journal_mode", "synchronous", "foreign_keys", "user_version"];
    expect(
      database.read((connection) => pragmas.map((name) => connection.query(`PRAGMA ${name}`).values()[0]?.[0])),
    ).toEqual({
      ok: true,
      value: ["wal", 2, 1, 1],
    });
    const files = readdirSync(join(path, ".."));
    expect(files.map((name) => [name, statSync(join(path, "..", name)).mode & 0o777])).toEqual(
      files.map((name) => [name, 0o600]),
    );
    await database.close();
  });

  test("migrates step by step, with SQL of several statements and with functions", async () => {
    const path = newPath();
    const first = await opened(path);
    await insert(first, "kept");
    await first.close();
    const second = await opened(path, [
      notes,
      "ALTER TABLE notes ADD COLUMN tag TEXT; CREATE INDEX by_tag ON notes (tag);",
      (connection) => void connection.run("UPDATE notes SET tag = upper(text)"),
    ]);
    expect(second.read((connection) => connection.query("SELECT text, tag FROM notes").values())).toEqual({
      ok: true,
      value: [["kept", "KEPT"]],
    });
    await second.close();
  });

  test("a migration that fails leaves the version before it", async () => {
    const path = newPath();
    expect(
      await openDatabase(path, { migrations: [notes, "CREATE TABLE extra (a); INSERT INTO nowhere VALUES (1);"] }),
    ).toEqual({
      ok: false,
      reason: "failed",
      code: "SQLITE_ERROR",
      message: `The database ${path} failed: no such table: nowhere.`,
    });
    const database = await opened(path);
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    expect(database.read((connection) => connection.query(tables).values())).toEqual({ ok: true, value: [["notes"]] });
    await database.close();
  });

  test("refuses a database of a newer version", async () => {
    const path = newPath();
    await (await opened(path, [notes, "CREATE TABLE later (a)"])).close();
    expect(await openDatabase(path, { migrations: [notes] })).toEqual({
      ok: false,
      reason: "too-new",
      message: `The database ${path} has version 2, and this Ralph knows versions up to 1. Update Ralph.`,
    });
  });

  test("says what is wrong with the file", async () => {
    const path = newPath();
    writeFileSync(path, "this is certainly not a database file ".repeat(50));
    expect([
      await openDatabase(path, { migrations: [] }),
      await openDatabase("/nowhere/x.db", { migrations: [] }),
    ]).toEqual([
      {
        ok: false,
        reason: "damaged",
        code: "SQLITE_NOTADB",
        message: `The database ${path} failed: the file is not a database.`,
      },
      { ok: false, reason: "cannot-open", message: "/nowhere/x.db could not be opened: it does not exist." },
    ]);
  });

  test("knows which versions of SQLite are safe, and that this one is", async () => {
    expect(versionProblem(await sqliteVersion())).toBeUndefined();
    const versions = ["3.53.0", "3.53.4", "3.100.1", "4.0.0"];
    expect(versions.map(versionProblem)).toEqual([undefined, undefined, undefined, undefined]);
    expect(versionProblem("3.52.9")).toBe(
      "SQLite 3.52.9 is too old: 3.53.0 or newer is needed, because older ones can damage a database that several processes use. Update Bun (on macOS: the system, whose SQLite Bun uses).",
    );
  });

  test("SQLite is loaded only when a database is opened", async () => {
    const folder = join(import.meta.dir, "../../src/system");
    const transpiler = new Bun.Transpiler({ loader: "ts" });
    const loads: string[] = [];
    for (const name of readdirSync(folder)) {
      for (const { path, kind } of transpiler.scanImports(await Bun.file(join(folder, name)).text())) {
        if (path === "bun:sqlite") loads.push(`${name}: ${kind}`);
      }
    }
    expect(new Set(loads)).toEqual(new Set(["sqlite.ts: dynamic-import"]));
  });

  test("outside of a write nothing can be changed, even after a write that failed", async () => {
    const database = await opened(newPath());
    const change = () => database.read((connection) => connection.run("DELETE FROM notes"));
    const before = change();
    await database.write((connection) => void connection.run("INSERT OR ROLLBACK INTO notes (text) VALUES (NULL)"));
    expect([before, change()]).toMatchObject([{ code: "SQLITE_READONLY" }, { code: "SQLITE_READONLY" }]);
    await database.close();
  });
});

describe("writing", () => {
  test("gives back the value after the commit", async () => {
    const path = newPath();
    const database = await opened(path);
    expect(await insert(database, "a")).toEqual({ ok: true, value: 1 });
    const other = await opened(path);
    expect(texts(other)).toEqual({ ok: true, value: ["a"] });
    await Promise.all([database.close(), other.close()]);
  });

  test("changes of one moment share a transaction, and one that fails undoes only itself", async () => {
    const database = await opened(newPath());
    const open: boolean[] = [];
    const results = await Promise.all([
      insert(database, "a"),
      database.write((connection) => {
        connection.run("INSERT INTO notes (text) VALUES ('half')");
        connection.run("INSERT INTO notes (text) VALUES ('a')");
      }),
      database.write((connection) => void open.push(connection.inTransaction)),
      insert(database, "b"),
    ]);
    expect(results).toEqual([
      { ok: true, value: 1 },
      {
        ok: false,
        reason: "constraint",
        code: "SQLITE_CONSTRAINT_UNIQUE",
        message: expect.stringContaining("UNIQUE constraint failed: notes.text."),
      },
      { ok: true, value: undefined },
      { ok: true, value: 2 },
    ]);
    expect([texts(database), open]).toEqual([{ ok: true, value: ["a", "b"] }, [true]]);
    await database.close();
  });

  test("a change asked for a little later still shares the transaction", async () => {
    const path = newPath();
    const [database, other] = [await opened(path), await opened(path)];
    const first = insert(database, "a");
    for (let round = 0; round < 20; round++) await Promise.resolve();
    const seenMeanwhile = await database.write(() => texts(other));
    expect([await first, seenMeanwhile, texts(other)]).toEqual([
      { ok: true, value: 1 },
      { ok: true, value: { ok: true, value: [] } },
      { ok: true, value: ["a"] },
    ]);
    await Promise.all([database.close(), other.close()]);
  });

  test("a mistake in a change is thrown to its caller alone", async () => {
    const database = await opened(newPath());
    const mistake = database.write((connection) => {
      connection.run("INSERT INTO notes (text) VALUES ('undone')");
      throw new RangeError("mine");
    });
    const asynchronous = database.write(
      async (connection) => void connection.run("INSERT INTO notes (text) VALUES ('x')"),
    );
    const fine = insert(database, "fine");
    expect(await Promise.allSettled([mistake, asynchronous, fine])).toEqual([
      { status: "rejected", reason: new RangeError("mine") },
      { status: "rejected", reason: new TypeError("A change of the database must not be asynchronous.") },
      { status: "fulfilled", value: { ok: true, value: 1 } },
    ]);
    expect(texts(database)).toEqual({ ok: true, value: ["fine"] });
    await database.close();
  });

  test("an error that ends the transaction fails what it undid, and the rest is still written in order", async () => {
    const database = await opened(newPath());
    const results = await Promise.all([
      insert(database, "undone"),
      database.write((connection) => void connection.run("INSERT OR ROLLBACK INTO notes (text) VALUES ('undone')")),
      insert(database, "c"),
      insert(database, "d"),
    ]);
    expect(results.map((result) => (result.ok ? result.value : result.reason))).toEqual([
      "constraint",
      "constraint",
      1,
      2,
    ]);
    expect(texts(database)).toEqual({ ok: true, value: ["c", "d"] });
    await database.close();
  });

  test("thousands at once are few commits", async () => {
    const database = await opened(newPath());
    const started = performance.now();
    await Promise.all(Array.from({ length: 5000 }, (_, index) => insert(database, `note ${index}`)));
    expect(performance.now() - started).toBeLessThan(1500);
    expect(database.read((connection) => connection.query("SELECT count(*) FROM notes").values())).toEqual({
      ok: true,
      value: [[5000]],
    });
    await database.close();
  });

  test("a reader cannot write", async () => {
    const database = await opened(newPath());
    await insert(database, "a");
    const result = database.read((connection) => connection.run("INSERT INTO notes (text) VALUES ('b')"));
    expect(result).toMatchObject({ ok: false, code: "SQLITE_READONLY" });
    await database.close();
  });

  test("foreign keys hold", async () => {
    const database = await opened(newPath(), [
      notes,
      "CREATE TABLE marks (note INTEGER NOT NULL REFERENCES notes (id))",
    ]);
    const result = await database.write((connection) => void connection.run("INSERT INTO marks VALUES (99)"));
    expect(result).toMatchObject({ ok: false, reason: "constraint" });
    await database.close();
  });

  test("closing waits for what was asked for; afterwards nothing works", async () => {
    const path = newPath();
    const database = await opened(path);
    const asked = insert(database, "a");
    await database.close();
    await database.close();
    const closed = { ok: false, reason: "closed", message: `The database ${path} is closed.` } as const;
    expect([await asked, await insert(database, "b"), texts(database)]).toEqual([
      { ok: true, value: 1 },
      closed,
      closed,
    ]);
  });
});

describe("several processes", () => {
  test("wait for one another without standing still, and give up after the limit", async () => {
    const path = newPath();
    const database = await opened(path, [notes], 150);
    const holder = Bun.spawn(
      [
        process.execPath,
        "-e",
        `const { Database } = require("bun:sqlite"); const d = new Database(${JSON.stringify(path)}); d.run("BEGIN IMMEDIATE"); console.log("holding"); for await (const _ of Bun.stdin.stream()) break; d.run("COMMIT"); console.log("let go");`,
      ],
      { stdin: "pipe", stdout: "pipe" },
    );
    const reader = holder.stdout.getReader();
    await reader.read();
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    expect(await insert(database, "too early")).toMatchObject({ ok: false, reason: "busy" });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(1);
    holder.stdin.write("\n");
    holder.stdin.end();
    await reader.read();
    expect(await insert(database, "now")).toEqual({ ok: true, value: 1 });
    await database.close();
  });

  test("may open and migrate a new database together and lose nothing", async () => {
    const path = newPath();
    const script = `
      const { openDatabase } = await import(${module});
      const opened = await openDatabase(process.argv[1], { migrations: [${JSON.stringify(notes)}, "CREATE TABLE extra (a)"] });
      if (!opened.ok) { console.log(opened.message); process.exit(1); }
      for (let round = 0; round < 20; round++) {
        const written = await opened.database.write((c) => c.run("INSERT INTO notes (text) VALUES (?)", [process.pid + "-" + round]));
        if (!written.ok) console.log(written.message);
      }
      await opened.database.close();
    `;
    const children = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, "-e", script, path], { stdout: "pipe" }),
    );
    expect(await Promise.all(children.map((child) => new Response(child.stdout).text()))).toEqual(["", "", "", ""]);
    const database = await opened(path, [notes, "CREATE TABLE extra (a)"]);
    expect(database.read((connection) => connection.query("SELECT count(*) FROM notes").values())).toEqual({
      ok: true,
      value: [[80]],
    });
    await database.close();
  });

  test("what was acknowledged survives kill -9", async () => {
    const path = newPath();
    const script = `
      const { openDatabase } = await import(${module});
      const { database } = await openDatabase(process.argv[1], { migrations: [${JSON.stringify(notes)}] });
      await Promise.all([1, 2, 3].map((n) => database.write((c) => c.run("INSERT INTO notes (text) VALUES (?)", ["n" + n]))));
      process.kill(process.pid, "SIGKILL");
    `;
    const child = Bun.spawn([process.execPath, "-e", script, path]);
    await child.exited;
    const database = await opened(path);
    expect(texts(database)).toEqual({ ok: true, value: ["n1", "n2", "n3"] });
    await database.close();
  });
});
