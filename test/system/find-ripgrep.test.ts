import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRipgrep } from "../../src/system/find-ripgrep.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const packaged = await findRipgrep("");

test.skipIf(packaged === undefined)("from source, ripgrep is the one of the package beside us", () => {
  expect(Bun.spawnSync([packaged ?? "", "--version"]).stdout.toString()).toStartWith("ripgrep 15.");
  expect(packaged).toEndWith(
    join("node_modules", "@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin", "rg"),
  );
});

test("a package that lost its executable bit is repaired", async () => {
  const root = directory();
  const bin = join(root, "node_modules/@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "rg"), "#!/bin/sh\n", { mode: 0o644 });
  expect(await findRipgrep("", { type: "package", beside: root })).toBe(join(bin, "rg"));
  expect(statSync(join(bin, "rg")).mode & 0o777).toBe(0o755);
});

test("where there is no package, there is none", async () => {
  const root = directory();
  mkdirSync(join(root, "node_modules"));
  expect(await findRipgrep("", { type: "package", beside: root })).toBeUndefined();
  expect(await findRipgrep("", { type: "none" })).toBeUndefined();
});

test("one inside the compiled file is unpacked to the folder of tools", async () => {
  const root = directory();
  const content = "#!/bin/sh\necho packed\n";
  writeFileSync(join(root, "inside"), content);
  chmodSync(join(root, "inside"), 0o444);
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  const found = await findRipgrep(join(root, "tools"), {
    type: "embedded",
    path: join(root, "inside"),
    bytes: content.length,
    sha256,
  });
  expect(found).toBe(join(root, "tools", `rg-${sha256.slice(0, 16)}`));
  expect(Bun.spawnSync([found ?? ""]).stdout.toString()).toBe("packed\n");
});
