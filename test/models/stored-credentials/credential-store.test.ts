import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { parseCredentialFile, readCredentialFile } from "../../../src/models/stored-credentials/credential-file.ts";
import { openCredentialStore } from "../../../src/models/stored-credentials/credential-store.ts";
import type { RenewLogin, StoredLogin } from "../../../src/models/stored-credentials/stored-login.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const temporary = temporaryDirectories();
const START = 1_700_000_000_000;
const KEY = "sk-ant-0123456789abcdef";

const refuses: RenewLogin = async () => ({ ok: false, isOver: true, message: "no more" });

function opened(renew: RenewLogin = refuses, folder = join(temporary(), "data")) {
  const path = join(folder, "credentials.db");
  const clock = manualClock(START);
  return { path, folder, clock, store: openCredentialStore({ path, clock, renew }) };
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

describe("what is stored", () => {
  test("is found again by another process, and lies sealed in files nobody else can read", async () => {
    const { store, path, folder, clock } = opened();
    expect(await store.storeKey("anthropic", KEY)).toEqual({ ok: true });
    const other = openCredentialStore({ path, clock, renew: refuses });
    expect(other.has("anthropic")).toBe(true);
    expect(await other.find("anthropic")).toEqual({ key: KEY });
    expect(other.list()).toEqual([{ provider: "anthropic", kind: "key", storedAt: START }]);
    expect((await readdir(folder)).sort()).toEqual(["credentials.db", "credentials.key"]);
    expect([folder, path, join(folder, "credentials.key")].map(modeOf)).toEqual(["700", "600", "600"]);
    expect(readFileSync(path, "utf8")).not.toContain(KEY);
  });

  test("takes the place of what was stored before, and the last to go takes the file along", async () => {
    const { store, path } = opened();
    await store.storeKey("openai", "first-key");
    await store.storeKey("groq", "other-key");
    await store.storeKey("openai", "second-key");
    expect(await store.find("openai")).toEqual({ key: "second-key" });
    expect(await store.remove("openai")).toEqual({ ok: true, wasThere: true });
    expect(await store.remove("openai")).toEqual({ ok: true, wasThere: false });
    expect([store.has("openai"), store.has("groq")]).toEqual([false, true]);
    expect(await store.remove("groq")).toEqual({ ok: true, wasThere: true });
    expect(() => statSync(path)).toThrow("ENOENT");
    expect([await store.find("groq"), store.problem()]).toEqual([{}, undefined]);
  });

  test("is seen by a store that was open before", async () => {
    const { store, path, clock } = opened();
    expect(store.has("xai")).toBe(false);
    await openCredentialStore({ path, clock, renew: refuses }).storeKey("xai", KEY);
    expect(store.has("xai")).toBe(true);
  });

  test("never uses a nonce twice", async () => {
    const { store, path } = opened();
    const nonces = new Set<string>();
    for (let count = 0; count < 20; count++) {
      await store.storeKey("openai", KEY);
      nonces.add(JSON.parse(readFileSync(path, "utf8")).entries.openai.nonce);
    }
    expect(nonces.size).toBe(20);
  });
});

describe("a file that is not as it was left", () => {
  test("does not open where an entry was changed, moved to another provider, or given more time", async () => {
    const { store, path } = opened();
    await store.storeKey("openai", KEY);
    await store.storeLogin("openai-codex", {
      accessToken: "token",
      issuer: "https://i",
      clientId: "c",
      expiresAt: START,
    });
    const entries = JSON.parse(readFileSync(path, "utf8")).entries;
    const { openai } = entries;
    const flipped = `${openai.sealed.startsWith("A") ? "B" : "A"}${openai.sealed.slice(1)}`;
    const versions: [string, object][] = [
      ["openai", { openai: { ...openai, sealed: flipped } }],
      ["openai", { openai: { ...openai, nonce: "AAAAAAAAAAAAAAAA" } }],
      ["openai", { openai: { ...openai, sealed: openai.sealed.slice(0, 8) } }],
      ["openai", { openai: { ...openai, kind: "login" } }],
      ["groq", { groq: openai }],
      ["openai-codex", { "openai-codex": { ...entries["openai-codex"], expiresAt: START * 2 } }],
    ];
    for (const [provider, changed] of versions) {
      writeFileSync(path, JSON.stringify({ version: 1, entries: changed }));
      const { problem, ...rest } = await store.find(provider);
      expect([rest, problem]).toEqual([
        {},
        expect.stringMatching(
          new RegExp(`^The stored (key|login) of ${provider} cannot be opened: .* ralph login ${provider}$`),
        ),
      ]);
    }
  });

  test("is a message and stays as it is, whatever is asked", async () => {
    const { store, path, folder } = opened();
    mkdirSync(folder, { mode: 0o700 });
    const damaged = `${path} is damaged or not Ralph's, so nothing stored in it is used. Move it away, then log in again: ralph login`;
    const newer = `${path} has version 2, and this Ralph knows versions up to 1. Update Ralph.`;
    const texts: [string, string][] = [
      ["", damaged],
      ["SQLite format 3\0", damaged],
      ['{"version":1,"entries":{"a":', damaged],
      ['{"version":1,"entries":{"a":{"kind":"key"}}}', damaged],
      ['{"version":1,"entries":[]}', damaged],
      ['{"version":1,"entries":{"a":{"kind":"key","storedAt":1,"expiresAt":1e300,"nonce":"","sealed":""}}}', damaged],
      ['{"version":2,"entries":{},"more":1}', newer],
    ];
    for (const [text, message] of texts) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(store.problem()).toBe(message);
      expect(store.has("openai")).toBe(false);
      expect(await store.find("openai")).toEqual({ problem: message });
      expect(await store.storeKey("openai", KEY)).toEqual({ ok: false, message });
      expect(await store.remove("openai")).toEqual({ ok: false, message });
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  test("reads as something or as a message, never as a crash", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(["loaded", "unusable"]).toContain(parseCredentialFile("f", text).type);
      }),
    );
  });

  test("is refused where others can read or replace it, or where it is a link, with the remedy", async () => {
    const { store, path, folder } = opened();
    await store.storeKey("openai", KEY);
    chmodSync(path, 0o644);
    const readable = `${path} can be read by other users, so it is not used. Repair it: chmod 600 ${path}`;
    expect([store.problem(), await store.find("openai")]).toEqual([readable, { problem: readable }]);
    expect(await store.storeKey("openai", "new")).toEqual({ ok: false, message: readable });
    chmodSync(path, 0o600);
    expect(await store.find("openai")).toEqual({ key: KEY });
    chmodSync(folder, 0o777);
    const replaceable = `Other users can replace files in ${folder}, so ${path} is not used. Repair it: chmod 700 ${folder}`;
    expect(await store.find("openai")).toEqual({ problem: replaceable });
    chmodSync(folder, 0o700);
    const keyFile = join(folder, "credentials.key");
    chmodSync(keyFile, 0o640);
    const { problem } = await store.find("openai");
    expect(problem).toBe(`${keyFile} can be read by other users, so it is not used. Repair it: chmod 600 ${keyFile}`);
    chmodSync(keyFile, 0o600);
    renameSync(path, `${path}.elsewhere`);
    symlinkSync(`${path}.elsewhere`, path);
    const link = `${path} is a link, so it is not read. Put the file itself in its place.`;
    expect([store.problem(), store.has("openai"), await store.storeKey("openai", KEY)]).toEqual([
      link,
      false,
      { ok: false, message: link },
    ]);
    expect(readFileSync(`${path}.elsewhere`, "utf8")).toContain("openai");
  });

  test("stays closed without its key, and no new key is made over it", async () => {
    const { store, path, folder } = opened();
    await store.storeKey("openai", KEY);
    const keyFile = join(folder, "credentials.key");
    renameSync(keyFile, `${keyFile}.aside`);
    const missing = `${keyFile} is missing. What is stored cannot be opened without it: bring it back, or move ${path} away and log in again.`;
    expect(await store.find("openai")).toEqual({ problem: missing });
    expect(await store.storeKey("groq", KEY)).toEqual({ ok: false, message: missing });
    linkSync(`${keyFile}.aside`, keyFile);
    expect(await store.find("openai")).toEqual({ key: KEY });
    writeFileSync(`${keyFile}.aside`, "short");
    expect((await store.find("openai")).problem).toStartWith(`${keyFile} is damaged. `);
  });
});

describe("a login", () => {
  const login: StoredLogin = {
    accessToken: "access-1",
    refreshToken: "refresh-1",
    accountId: "acct",
    issuer: "https://issuer.test",
    clientId: "client",
  };
  const soon = START + 30_000;

  test("is used as it is until a minute before its end, then renewed once for all who ask", async () => {
    const asked: StoredLogin[] = [];
    const { store, clock } = opened(async (given) => {
      asked.push(given);
      return { ok: true, tokens: { accessToken: "access-2", refreshToken: "refresh-2", expiresAt: START + 7_200_000 } };
    });
    await store.storeLogin("openai-codex", { ...login, expiresAt: START + 3_600_000 });
    expect(await store.find("openai-codex")).toEqual({ oauth: { token: "access-1", accountId: "acct" } });
    await clock.advance(3_600_000 - 60_001);
    expect(await store.find("openai-codex")).toEqual({ oauth: { token: "access-1", accountId: "acct" } });
    await clock.advance(1);
    const answers = await Promise.all([1, 2, 3].map(() => store.find("openai-codex")));
    expect(answers).toEqual(Array(3).fill({ oauth: { token: "access-2", accountId: "acct" } }));
    expect(asked).toEqual([{ ...login, expiresAt: START + 3_600_000 }]);
    expect(store.list()).toEqual([
      { provider: "openai-codex", kind: "login", storedAt: clock.now(), expiresAt: START + 7_200_000 },
    ]);
  });

  test("keeps its refresh token where a renewal brings none, and takes the one it brings", async () => {
    const used: (string | undefined)[] = [];
    const { store, clock } = opened(async ({ refreshToken }) => {
      used.push(refreshToken);
      const rotated = used.length === 2 ? { refreshToken: "refresh-2" } : {};
      return { ok: true, tokens: { accessToken: `access-${used.length}`, expiresAt: clock.now(), ...rotated } };
    });
    await store.storeLogin("openai-codex", { ...login, expiresAt: soon });
    for (let count = 0; count < 4; count++) await store.find("openai-codex");
    expect(used).toEqual(["refresh-1", "refresh-1", "refresh-2", "refresh-2"]);
  });

  test("that cannot be renewed is used while it counts; after that it says what to do", async () => {
    const why = { message: "the network is down", isOver: false };
    const { store, clock } = opened(async () => ({ ok: false, ...why }));
    await store.storeLogin("openai-codex", { ...login, expiresAt: soon });
    expect(await store.find("openai-codex")).toEqual({ oauth: { token: "access-1", accountId: "acct" } });
    await clock.advance(30_000);
    expect(await store.find("openai-codex")).toEqual({
      problem:
        "The login of openai-codex has ended and was not renewed: the network is down. Try again when that is repaired, or log in again: ralph login openai-codex",
    });
    Object.assign(why, { message: "it was revoked.", isOver: true });
    expect(await store.find("openai-codex")).toEqual({
      problem:
        "The login of openai-codex has ended and was not renewed: it was revoked. Log in again: ralph login openai-codex",
    });
  });

  test("that ended while it was renewed stays away", async () => {
    const removed = Promise.withResolvers<void>();
    const { store, path, clock } = opened(async () => {
      await openCredentialStore({ path, clock, renew: refuses }).remove("openai-codex");
      removed.resolve();
      return { ok: true, tokens: { accessToken: "access-2" } };
    });
    await store.storeLogin("openai-codex", { ...login, expiresAt: soon });
    await store.find("openai-codex");
    await removed.promise;
    expect(store.has("openai-codex")).toBe(false);
  });
});

const PROGRAM = resolve(import.meta.dir, "../../support/programs/store-keys.ts");

function keeper(path: string, name: string, count: number) {
  return Bun.spawn([process.execPath, PROGRAM, path, name, `${count}`], { stdout: "pipe", stderr: "inherit" });
}

describe("several processes", () => {
  test("store at the same time and lose nothing, not even the key they seal with", async () => {
    const { store, path } = opened();
    const children = ["a", "b", "c", "d"].map((name) => keeper(path, name, 10));
    await Promise.all(children.map((child) => child.exited));
    const expected = ["a", "b", "c", "d"].flatMap((name) =>
      Array.from({ length: 10 }, (_, number) => [`${name}-${number}`, { key: `key-${name}-${number}` }]),
    );
    const found = await Promise.all(expected.map(async ([provider]) => [provider, await store.find(`${provider}`)]));
    expect(found).toEqual(expected);
  });

  test("never show anybody a file that is half written", async () => {
    const { path } = opened();
    const child = keeper(path, "a", 100);
    const seen = new Set<string>();
    while (child.exitCode === null) {
      seen.add(readCredentialFile(path).type);
      await new Promise(setImmediate);
    }
    expect([...seen].sort()).toEqual(["loaded", "none"]);
  });

  test("may be killed at any moment: everything they said is there, and the next one goes on", async () => {
    const { store, path } = opened();
    for (let round = 0; round < 6; round++) {
      const child = keeper(path, `r${round}`, 1000);
      let [said, lines] = ["", 0];
      for await (const bytes of child.stdout) {
        said += new TextDecoder().decode(bytes);
        lines = said.split("\n").length - 1;
        if (lines >= 1 + round) break;
      }
      child.kill("SIGKILL");
      await child.exited;
      const last = Number(said.split("\n")[lines - 1]);
      const kept = /^key-r\d+-(\d+)$/.exec((await store.find(`r${round}-${last % 20}`)).key ?? "")?.[1];
      expect(Number(kept)).toBeGreaterThanOrEqual(last);
      expect(store.problem()).toBeUndefined();
      expect(await store.storeKey(`after-${round}`, KEY)).toEqual({ ok: true });
    }
  }, 30_000);
});
