import { expect, test } from "bun:test";
import { join } from "node:path";
import { RPC_COMMANDS } from "../../src/rpc/commands.ts";

test("every command and every kind of frame does over the wire what the tables say", async () => {
  const script = join(import.meta.dir, "../../scripts/rpc-conformance.ts");
  const child = Bun.spawn([process.execPath, script], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
  const named = lines.map((line) => line.replace(/^ok +/, "").replace(/:.*/, ""));
  expect(Object.keys(RPC_COMMANDS).filter((name) => !named.includes(name))).toEqual([]);
  expect(await child.exited).toBe(0);
}, 60_000);
