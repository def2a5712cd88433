import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probeSandbox } from "../../../src/permissions/sandbox/probe-sandbox.ts";
import { fileMemo, noMemo } from "../../../src/system/memo.ts";
import { sandboxHere } from "../../support/sandboxed.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const temporaryDirectory = temporaryDirectories();

/** A helper that writes down its arguments and then does as told. */
function fakeHelper(script: string): { path: string; calls(): string[] } {
  const folder = temporaryDirectory();
  const path = join(folder, "bwrap");
  const log = join(folder, "calls");
  writeFileSync(log, "");
  writeFileSync(path, `#!/bin/sh\necho "$@" >> ${log}\n${script}\n`);
  chmodSync(path, 0o755);
  return { path, calls: () => readFileSync(log, "utf8").split("\n").slice(0, -1) };
}

test("here the sandbox is there or says what is missing", () => {
  expect(["bubblewrap", "seatbelt", "none"]).toContain(sandboxHere.type);
  expect(sandboxHere.reason).not.toBe("");
});

test("a missing helper is named with the ways to install it", async () => {
  const state = await probeSandbox({ platform: "linux", memo: noMemo, places: ["/nowhere/bwrap"] });
  expect(state).toEqual({
    type: "none",
    reason:
      "bubblewrap is not installed (looked for /nowhere/bwrap). Install it: apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap, or apk add bubblewrap.",
  });
});

test("the trial uses everything a command will need, and is made once", async () => {
  const helper = fakeHelper("echo signals");
  const memo = fileMemo(temporaryDirectory(), "test");
  const works = {
    type: "bubblewrap",
    program: { path: helper.path, forbidsNamespaces: true, setsSignals: true },
    reason: `bubblewrap works (${helper.path}).`,
  } as const;
  expect(await probeSandbox({ platform: "linux", memo, places: [helper.path] })).toEqual(works);
  expect(await probeSandbox({ platform: "linux", memo, places: [helper.path] })).toEqual(works);
  expect(helper.calls()).toEqual([
    "--ro-bind / / --dev /dev --proc /proc --tmpfs /run --remount-ro /proc --unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL --unshare-net -- /bin/sh -c /usr/bin/env --ignore-signal=TERM --default-signal=TERM echo signals 2>/dev/null || :",
  ]);
});

test("an older helper is used without what it does not know", async () => {
  const helper = fakeHelper(
    'case "$*" in *--disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac',
  );
  const state = await probeSandbox({ platform: "linux", memo: noMemo, places: [helper.path] });
  expect(state).toMatchObject({ type: "bubblewrap", program: { forbidsNamespaces: false, setsSignals: false } });
});

test.each([
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "refuses a new /proc"],
  ["bwrap: setting up uid map: Permission denied", "AppArmor"],
  [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow it",
    "User namespaces are refused",
  ],
])("a refusal says what to change: %s", async (said, fix) => {
  const helper = fakeHelper(`echo "${said}" >&2; exit 1`);
  const memo = fileMemo(temporaryDirectory(), "test");
  const state = await probeSandbox({ platform: "linux", memo, places: [helper.path] });
  expect(state).toEqual({ type: "none", reason: expect.stringContaining(`bubblewrap does not work here: ${said}. `) });
  expect(state.reason).toContain(fix);
  // A refusal may be lifted at any time, so it is not remembered.
  await probeSandbox({ platform: "linux", memo, places: [helper.path] });
  expect(helper.calls().length).toBe(4);
});

test("macOS brings its helper, and other systems have none", async () => {
  const helper = fakeHelper("exit 0");
  expect([
    await probeSandbox({ platform: "darwin", memo: noMemo, places: [helper.path] }),
    await probeSandbox({ platform: "darwin", memo: noMemo, places: ["/nowhere/sandbox-exec"] }),
    await probeSandbox({ platform: "win32", memo: noMemo }),
  ]).toEqual([
    { type: "seatbelt", program: helper.path, reason: "sandbox-exec is part of macOS." },
    { type: "none", reason: "sandbox-exec is missing (/nowhere/sandbox-exec). It is part of macOS; restore it." },
    { type: "none", reason: "Ralph has no sandbox for win32, so every command is asked about." },
  ]);
});
