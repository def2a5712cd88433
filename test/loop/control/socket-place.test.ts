import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type ControlServer, serveControl } from "../../../src/loop/control/serve-control.ts";
import { checkedSocketPath } from "../../../src/loop/control/socket-place.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { fakeLoop } from "../../support/loop-controls.ts";
import { rawClient } from "../../support/raw-client.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const PROGRAM = resolve(import.meta.dir, "../../support/programs/serve-control.ts");

const serve = (folder: string, name = "checkout") =>
  serveControl({ directory: folder, name, controls: fakeLoop().controls, clock: systemClock });

async function running(folder: string, name?: string): Promise<ControlServer> {
  const result = await serve(folder, name);
  if (!result.ok) throw new Error(result.message);
  return result.server;
}

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

/** A server in a process of its own; what it said when it was ready or refused. */
async function startProgram(folder: string, name = "checkout") {
  const child = Bun.spawn([process.execPath, PROGRAM, folder, name], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return { child, said: JSON.parse(new TextDecoder().decode(value)) as Record<string, unknown> };
}

describe("the socket", () => {
  test("is for its user alone, whatever the umask, and gone after the stop with nothing left behind", async () => {
    const folder = join(directory(), "data/sockets");
    const before = process.umask(0);
    const server = await running(folder);
    expect([modeOf(folder), modeOf(server.path), process.umask(before)]).toEqual(["700", "600", 0]);
    expect(readdirSync(folder)).toEqual(["checkout.sock"]);
    await server.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a folder that is open to others is closed to them; a link and a file are refused", async () => {
    const root = directory();
    const open = join(root, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    const server = await running(open);
    expect(modeOf(open)).toBe("700");
    await server.stop();
    symlinkSync(open, join(root, "link"));
    expect(await serve(join(root, "link"))).toEqual({
      ok: false,
      message: `${root}/link cannot hold control sockets: it is a link. Put a folder there and try again.`,
    });
    writeFileSync(join(root, "file"), "");
    expect<unknown>(await serve(join(root, "file"))).toEqual({
      ok: false,
      reason: "not-a-directory",
      message: `${root}/file is not a directory.`,
    });
  });

  test("what is no socket and stands at its place is refused and stays", async () => {
    const folder = directory();
    const path = join(folder, "checkout.sock");
    writeFileSync(path, "mine");
    const message = `${path} is in the way: it is not a socket. Remove it, or choose another --name.`;
    expect(await serve(folder)).toEqual({ ok: false, message });
    rmSync(path);
    symlinkSync("/dev/null", path);
    expect(await serve(folder)).toEqual({ ok: false, message });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test("a second server of the same name is refused, and the first goes on", async () => {
    const folder = directory();
    const server = await running(folder);
    const refused = {
      ok: false,
      message: `A loop named checkout is running already: ${server.path} answers. Look at it: ralph status checkout. End it: ralph stop checkout. Or start this one under another --name.`,
    };
    expect<unknown>(await serve(folder)).toEqual(refused);
    const { child, said } = await startProgram(folder);
    await child.exited;
    expect<unknown>(said).toEqual(refused);
    using client = await rawClient(server.path);
    expect(await client.ask({ jsonrpc: "2.0", id: 1, method: "x/get_receipts" })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { receipts: [] },
    });
    await server.stop();
  });

  test("of many that start at once exactly one gets the name", async () => {
    const folder = directory();
    const results = await Promise.all(Array.from({ length: 12 }, () => serve(folder)));
    const winners = results.flatMap((result) => (result.ok ? [result.server] : []));
    expect(winners.length).toBe(1);
    await winners[0]?.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of a server that was killed it is replaced", async () => {
    const folder = directory();
    const { child, said } = await startProgram(folder);
    const path = join(folder, "checkout.sock");
    expect(said).toEqual({ ok: true, path });
    child.kill("SIGKILL");
    await child.exited;
    expect(existsSync(path)).toBe(true);
    const server = await running(folder);
    using client = await rawClient(path);
    expect(await client.ask({ jsonrpc: "2.0", id: 1, method: "stop" })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { status: "stop_requested" },
    });
    await server.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that is no longer ours stays when we stop", async () => {
    const folder = directory();
    const first = await running(folder);
    renameSync(first.path, join(folder, "aside.sock"));
    const second = await running(folder);
    await first.stop();
    using client = await rawClient(second.path);
    expect(await client.ask({ jsonrpc: "2.0", id: 1, method: "x/get_receipts" })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { receipts: [] },
    });
    await second.stop();
  });
});

test("names and paths that cannot be are refused with the bound", () => {
  const rules =
    "a name is made of letters, digits, dots, dashes and underscores, at most 64, beginning with a letter or digit. Choose one with --name.";
  for (const name of ["", ".hidden", "../up", "a/b", "a b", "x".repeat(65), "a\n", "-a", "ä"]) {
    expect(checkedSocketPath("/s", name, "linux")).toEqual({
      ok: false,
      message: `"${name}" cannot name a loop: ${rules}`,
    });
  }
  const fits = (length: number, platform: NodeJS.Platform) =>
    checkedSocketPath(`/${"d".repeat(length - "//checkout.sock".length)}`, "checkout", platform);
  expect([fits(107, "linux").ok, fits(108, "linux").ok, fits(103, "darwin").ok, fits(104, "darwin").ok]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  const path = `/${"d".repeat(93)}/checkout.sock`;
  expect(fits(108, "linux")).toEqual({
    ok: false,
    message: `The control socket ${path} cannot be made: its path has 108 bytes and the system allows 107. Choose a shorter --name, or a shorter folder with RALPH_HOME.`,
  });
});
