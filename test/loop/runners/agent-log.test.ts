import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { AgentLog, settleAgentLog } from "../../../src/loop/runners/agent-log.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

function opened(path: string, limit: number): AgentLog {
  const log = AgentLog.open(path, limit);
  if (typeof log === "string") throw new Error(log);
  return log;
}

const NOTE = /\n\[… (\d+) bytes left out: a log is kept to its beginning and its end …\]\n/;

test("a log holds everything up to its bound, beyond that beginning and end with a note of what is missing", () => {
  const folder = directory();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }), (sizes) => {
      const path = join(folder, "one.log");
      const log = opened(path, 80);
      let whole = "";
      for (const size of sizes) {
        const piece = Array.from({ length: size }, (_, index) =>
          String.fromCharCode(97 + ((whole.length + index) % 26)),
        );
        whole += piece.join("");
        expect(log.write(Buffer.from(piece.join("")))).toBeUndefined();
      }
      expect(log.close()).toBeUndefined();
      const kept = readFileSync(path, "utf8");
      const [head = "", leftOut = "0", tail = ""] = kept.split(NOTE);
      expect(readdirSync(folder)).toEqual(["one.log"]);
      expect(head + whole.slice(head.length, head.length + Number(leftOut)) + tail).toBe(whole);
      expect(head.length + tail.length).toBeLessThanOrEqual(80);
      if (leftOut !== "0") expect([head.length, tail.length > 20]).toEqual([40, true]);
    }),
  );
});

test("a log takes no more room than its bound while it is written", () => {
  const folder = directory();
  const log = opened(join(folder, "room.log"), 8);
  for (let count = 0; count < 20; count++) log.write(Buffer.from("abc"));
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect([sizes.length, sizes.reduce((sum, size) => sum + size, 0) <= 8]).toEqual([3, true]);
  log.close();
});

test("what a killed writer left is put together later", () => {
  const path = join(directory(), "killed.log");
  const log = opened(path, 8);
  log.write(Buffer.from("0123456789abcdef"));
  expect(readFileSync(path, "utf8")).toBe("0123");
  expect(settleAgentLog(path)).toBeUndefined();
  const expected = "0123\n[… 8 bytes left out: a log is kept to its beginning and its end …]\ncdef";
  expect(readFileSync(path, "utf8")).toBe(expected);
  expect(settleAgentLog(path)).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe(expected);
});

test("only its owner may read it, and one that cannot be made says so", () => {
  const folder = directory();
  opened(join(folder, "own.log"), 100).close();
  expect(statSync(join(folder, "own.log")).mode & 0o777).toBe(0o600);
  mkdirSync(join(folder, "taken"));
  expect(AgentLog.open(join(folder, "taken"))).toStartWith(`The log ${join(folder, "taken")} cannot be written: `);
});
