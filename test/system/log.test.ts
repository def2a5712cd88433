import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createLog, type LogOptions } from "../../src/system/log.ts";
import { logValue } from "../../src/system/log-value.ts";
import { redactSecrets } from "../../src/system/redact.ts";
import { manualClock } from "../support/manual-clock.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

function newLog(options: Partial<LogOptions> = {}) {
  const directory = options.directory ?? join(newDirectory(), "logs");
  const redact = (text: string) => redactSecrets(text, ["hunter2"]);
  const log = createLog({
    directory,
    name: "ralph",
    maxBytes: 10_000,
    maxFiles: 3,
    redact,
    clock: manualClock(0),
    ...options,
  });
  const lines = (file = "ralph.log") =>
    readFileSync(join(directory, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { log, directory, lines };
}

const time = "1970-01-01T00:00:00.000Z";

describe("the log", () => {
  test("leaves nothing on disk until something is logged", async () => {
    const { log, directory } = newLog();
    await log.flush();
    expect(existsSync(directory)).toBe(false);
  });

  test("writes one JSON object per line, in order, readable by the user only", async () => {
    const { log, directory, lines } = newLog();
    log.debug("one\ntwo");
    log.info("three", { count: 3, nested: { list: [1, null] } });
    log.warn("four");
    log.error("five", { cause: new RangeError("too far") });
    await log.flush();
    expect(lines()).toEqual([
      { time, level: "debug", message: "one\ntwo" },
      { time, level: "info", message: "three", fields: { count: 3, nested: { list: [1, null] } } },
      { time, level: "warn", message: "four" },
      { time, level: "error", message: "five", fields: { cause: expect.stringContaining("too far") } },
    ]);
    expect(statSync(join(directory, "ralph.log")).mode & 0o777).toBe(0o600);
  });

  test("keeps secrets out of messages, fields and names", async () => {
    const { log, directory } = newLog();
    log.info("password is hunter2", { hunter2: 1, deep: [{ apiKey: "abc", text: "sk-ant-0123456789abcdefghij" }] });
    await log.flush();
    expect(JSON.parse(readFileSync(join(directory, "ralph.log"), "utf8"))).toEqual({
      time,
      level: "info",
      message: "password is [redacted]",
      fields: { "[redacted]": 1, deep: [{ apiKey: "[redacted]", text: "[redacted]" }] },
    });
  });

  test("rotates by size and keeps so many files and no more", async () => {
    const { log, directory, lines } = newLog({ maxBytes: 200 });
    for (let number = 1; number <= 10; number++) {
      log.info(`${number} ${"x".repeat(100)}`);
      await log.flush();
    }
    expect(readdirSync(directory).sort()).toEqual(["ralph.1.log", "ralph.2.log", "ralph.log"]);
    const kept = ["ralph.2.log", "ralph.1.log", "ralph.log"].flatMap((file) => lines(file));
    expect(kept.map(({ message }) => message.slice(0, 2).trim())).toEqual(["8", "9", "10"]);
  });

  test("a single file is allowed", async () => {
    const { log, directory, lines } = newLog({ maxBytes: 100, maxFiles: 1 });
    for (const letter of ["a", "b"]) {
      log.info(letter.repeat(80));
      await log.flush();
    }
    expect([readdirSync(directory), lines().map(({ message }) => message[0])]).toEqual([["ralph.log"], ["b"]]);
  });

  test("drops what cannot be written, counts it, and says so once it can write again", async () => {
    const parent = newDirectory();
    const directory = join(parent, "logs");
    writeFileSync(directory, "in the way");
    const { log, lines } = newLog({ directory });
    log.info("lost");
    log.info("lost too");
    await log.flush();
    expect(log.dropped()).toBe(2);
    rmSync(directory);
    log.info("back");
    await log.flush();
    log.info("again");
    await log.flush();
    expect(lines().map(({ message, fields }) => [message, fields])).toEqual([
      ["Log lines were dropped.", { count: 2 }],
      ["back", undefined],
      ["again", undefined],
    ]);
  });

  test("does not wait for a pipe in the place of its file", async () => {
    const directory = newDirectory();
    Bun.spawnSync(["mkfifo", join(directory, "ralph.log")]);
    const { log } = newLog({ directory });
    log.info("lost");
    await log.flush();
    expect(log.dropped()).toBe(1);
  });

  test("holds a bounded amount for a slow disk", async () => {
    const { log } = newLog({ maxBytes: 10_000_000 });
    for (let number = 0; number < 1000; number++) log.info("x".repeat(5000));
    const dropped = log.dropped();
    await log.flush();
    expect([dropped > 700, log.dropped()]).toEqual([true, dropped]);
  });

  test("drops a line that cannot be made, and goes on", async () => {
    const { log, lines } = newLog();
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    log.info("lost", { hostile });
    log.info("written");
    await log.flush();
    expect([log.dropped(), lines().map(({ message }) => message)]).toEqual([1, ["Log lines were dropped.", "written"]]);
  });

  test("goes on in the file of an earlier process", async () => {
    const { log, directory } = newLog();
    log.info("first");
    await log.flush();
    const second = newLog({ directory });
    second.log.info("second");
    await second.log.flush();
    expect(second.lines().map(({ message }) => message)).toEqual(["first", "second"]);
  });
});

describe("a value of the log", () => {
  const same = (text: string) => text;

  test("is something JSON can hold, whatever it was", () => {
    const cycle: Record<string, unknown> = { name: "a" };
    cycle.self = cycle;
    const odd = {
      big: 10n,
      missing: undefined,
      nan: Number.NaN,
      bytes: new Uint8Array(4),
      many: Array.from({ length: 60 }, () => 1),
      get broken() {
        throw new Error("no");
      },
    };
    expect(logValue(odd, same)).toEqual({
      big: "10",
      missing: "undefined",
      nan: "NaN",
      bytes: "[4 bytes]",
      many: [...Array.from({ length: 50 }, () => 1), "[10 more]"],
      broken: "[unreadable]",
    });
    expect(JSON.stringify(logValue(cycle, same))).toEndWith('"self":"[too deep]"}}}}}}');
    expect(logValue("x".repeat(9000), same)).toBe(`${"x".repeat(8192)}… [cut]`);
    fc.assert(
      fc.property(fc.anything(), (value) => typeof JSON.stringify({ value: logValue(value, same) }) === "string"),
    );
  });

  test("keeps no beginning of a secret at the cut", () => {
    const secret = `sk-${"a1".repeat(100)}`;
    const text = `${"x ".repeat(4090)}${secret}`;
    expect(String(logValue(text, (input) => redactSecrets(input, [])))).not.toContain("sk-");
  });
});
