import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { createTrustStore } from "../../../src/permissions/trust/trusted-folders.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const now = () => Date.UTC(2026, 0, 2);

function setUp() {
  const workspace = tempWorkspace();
  const path = `${workspace.root}/config/trusted-folders.json`;
  mkdirSync(`${workspace.project}/in/side`, { recursive: true });
  return { workspace, path, store: createTrustStore({ path, now }), [Symbol.dispose]: workspace.stop };
}

describe("trusted folders", () => {
  test("are trusted with everything in them, not with what is above or beside them", async () => {
    using world = setUp();
    const { workspace, store, path } = world;
    expect(store.isTrusted(workspace.project)).toBe(false);
    const inode = String(statSync(workspace.project).ino);
    const folder = { path: workspace.project, inode, at: "2026-01-02T00:00:00.000Z" };
    expect(await store.trust(workspace.project)).toEqual({ ok: true, folder });
    mkdirSync(`${workspace.project}-beside`);
    symlinkSync(workspace.project, `${workspace.root}/link`);
    symlinkSync(workspace.root, `${workspace.project}/way-out`);
    const asked = [
      "project",
      "project/in/side",
      "link/in",
      "",
      "project-beside",
      "project/way-out",
      "project/../user",
      "missing",
    ];
    expect(asked.filter((name) => store.isTrusted(`${workspace.root}/${name}`))).toEqual([
      "project",
      "project/in/side",
      "link/in",
    ]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ version: 1, folders: [folder] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("lose their trust when another folder takes their place", async () => {
    using world = setUp();
    const { workspace, store } = world;
    await store.trust(workspace.project);
    renameSync(workspace.project, `${workspace.root}/moved`);
    mkdirSync(workspace.project);
    expect([store.isTrusted(workspace.project), store.isTrusted(`${workspace.root}/moved`)]).toEqual([false, false]);
    await store.trust(workspace.project);
    expect(store.isTrusted(workspace.project)).toBe(true);
    expect(store.list()).toMatchObject({ ok: true, folders: [{ path: workspace.project }] });
  });

  test("are forgotten one by one, also when they are gone", async () => {
    using world = setUp();
    const { workspace, store } = world;
    const gone = `${workspace.root}/gone`;
    mkdirSync(gone);
    await Promise.all([workspace.project, `${workspace.project}/in`, gone].map((folder) => store.trust(folder)));
    renameSync(gone, `${workspace.root}/elsewhere`);
    expect([(await store.forget(gone)).ok, (await store.forget(workspace.project)).ok]).toEqual([true, true]);
    expect([store.isTrusted(workspace.project), store.isTrusted(`${workspace.project}/in/side`)]).toEqual([
      false,
      true,
    ]);
    expect(await store.forget(gone)).toEqual({
      ok: false,
      message: `${gone} is not in the list of trusted folders. See: ralph trust --list`,
    });
  });

  test("are none where the list is damaged, and the damaged list stays as it is", async () => {
    using world = setUp();
    const { workspace, store, path } = world;
    for (const text of ["{", '{"version":2,"folders":[]}', "[]", '{"version":1}']) {
      workspace.write("config/trusted-folders.json", text);
      const message = `${path} is damaged or of another version, so no folder is trusted. Correct it, or remove it and trust anew.`;
      expect(store.isTrusted(workspace.project)).toBe(false);
      expect(await store.trust(workspace.project)).toEqual({ ok: false, message });
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  test("is nothing that is no folder", async () => {
    using world = setUp();
    const file = world.workspace.write("project/file", "");
    expect(await world.store.trust(file)).toEqual({
      ok: false,
      message: `${file} is not there, so it cannot be trusted.`,
    });
  });
});
