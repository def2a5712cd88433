import { describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import { resolveByText, resolveSafely } from "../../../src/permissions/paths/resolve-safely.ts";
import { makePathTree } from "../../support/path-tree.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const tree = makePathTree(directory());
const inWorkspace = (path: string) => join(tree.workspace, path);

describe("a path", () => {
  test("has the places on its way, without links", () => {
    const found = resolveSafely(`${tree.workspace}/src/up/src/a.ts`);
    if (!found.ok) throw new Error(found.reason);
    const path = inWorkspace("src/a.ts");
    const ways = found.names.map((_, at) => `/${found.names.slice(0, at + 1).join("/")}`);
    expect(found.path).toBe(path);
    expect(found.kind).toBe("file");
    expect(found.entry).toBe(path);
    expect(found.aliases).toEqual([inWorkspace("src/up/src/a.ts")]);
    expect(found.chain.map(({ inode }) => inode)).toEqual(
      ["/", ...ways].map((way) => lstatSync(way, { bigint: true }).ino),
    );
  });

  test("through a link knows where the link itself stands", () => {
    expect(resolveSafely(`${tree.workspace}/outfile`)).toMatchObject({
      path: join(tree.base, "outside/secret"),
      entry: inWorkspace("outfile"),
    });
  });

  test("to a file that is not there yet ends below its nearest existing folder", () => {
    const found = resolveSafely(`${tree.workspace}/out/new/deep.txt`);
    expect(found).toMatchObject({ kind: "missing", path: join(tree.base, "outside/new/deep.txt") });
    expect(found.ok && found.chain.length).toBe(found.ok ? found.names.length - 1 : 0);
  });

  test("is refused after so many links, with the bound in the reason", () => {
    const base = directory();
    writeFileSync(join(base, "end"), "");
    symlinkSync("end", join(base, "link1"));
    for (let number = 2; number <= 41; number++) symlinkSync(`link${number - 1}`, join(base, `link${number}`));
    expect(resolveSafely(join(base, "link40"))).toMatchObject({ ok: true, path: join(base, "end") });
    expect(resolveSafely(join(base, "link41"))).toMatchObject({
      ok: false,
      path: join(base, "link41"),
      reason: `${join(base, "link1")} is behind more than 40 links; they may form a loop`,
    });
  });

  test("that is only text goes up by its text", () => {
    expect(resolveByText("/a/b/../../../c/./d//").path).toBe("/c/d");
  });
});

describe("random names", () => {
  const part = fc.constantFrom(
    ...[".", "..", "src", "a.ts", "deep", "b.ts", "out", "outfile", "absolute-out", "absolute-in", "up", "upup"],
    ...["chain1", "roundabout", "to-root", "dangling-out", "dangling-in", "loop1", "ws", "outside", "back", "into"],
    ...["secret", "new", "README.md", "to-git", ".vscode", "wslink", basename(tree.base), ...tree.base.split("/")],
  );
  const soup = fc.tuple(
    fc.constantFrom("", "/", "./", `${tree.base}/`, `${tree.workspace}/`),
    fc.array(part, { maxLength: 9 }),
  );
  const classify = createPathClassifier({ home: tree.home, own: tree.own, now: Date.now });

  test("lead where the kernel says, and never inside when it opens something outside", () => {
    fc.assert(
      fc.property(soup, ([start, parts]) => {
        const path = `${start}${parts.join("/")}`;
        const absolute = path.startsWith("/") ? path : `${tree.workspace}/${path}`;
        const real = kernelPath(absolute);
        const verdict = classify({ workspace: tree.workspace, op: "read", path });
        if (real === undefined || path === "") return;
        expect(resolveSafely(absolute).path).toBe(real);
        const isOutside = real !== tree.workspace && !real.startsWith(`${tree.workspace}/`);
        if (isOutside) expect(verdict.class).not.toBe("inside");
        else expect(verdict.class).not.toBe("external");
      }),
      { numRuns: 3000 },
    );
  });

  test("of any characters make a verdict and no exception", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const request = fc.record({
      workspace: fc.oneof(fc.constant(tree.workspace), fc.constant("/nowhere"), fc.constant("C:\\x"), text),
      op: fc.constantFrom("read", "write", "edit", "copy", "move", "delete"),
      path: text,
      dest: text,
      cwd: fc.option(text, { nil: undefined }),
      home: fc.option(text, { nil: undefined }),
      protected: fc.array(text, { maxLength: 2 }),
      grants: fc.array(
        fc.oneof(
          text,
          text.map((glob) => `Read(${glob})`),
        ),
        { maxLength: 2 },
      ),
    });
    fc.assert(
      fc.property(request, (line) => {
        expect(["inside", "external", "protected"]).toContain(classify(line).class);
      }),
      { numRuns: 2000 },
    );
  });

  test("below a link tree of random shape never escape unseen", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(7)), { maxLength: 8 }), soup, (links, [, parts]) => {
        const base = directory();
        const workspace = join(base, "w");
        for (const folder of ["w/src/deep", "w/out", "x/up", "x/src"])
          mkdirSync(join(base, folder), { recursive: true });
        const places = ["w", "w/src", "w/src/deep", "w/out", "x", "x/up"];
        const targets = ["..", "../..", "src", "../x", base, "up", `${base}/w/src`, "../../x/src"];
        for (const [at, name, target] of links)
          plant(join(base, places[at] ?? "w", `new${name}`), targets[target] ?? "..");
        const path = parts.map((name, at) => (at % 2 === 0 ? name : `new${at % 6}`)).join("/");
        const real = kernelPath(`${workspace}/${path}`);
        if (real === undefined || path === "") return;
        const verdict = classify({ workspace, op: "read", path });
        const isInside = real === workspace || real.startsWith(`${workspace}/`);
        if (!isInside) expect({ path, class: verdict.class }).not.toEqual({ path, class: "inside" });
      }),
      { numRuns: 150 },
    );
  });
});

function plant(path: string, target: string): void {
  try {
    symlinkSync(target, path);
  } catch {
    // there is one of that name already
  }
}

/** Where the kernel would open or make a file; undefined where it would do neither. */
function kernelPath(path: string): string | undefined {
  const whole = realOrUndefined(path);
  if (whole !== undefined) return whole;
  if (/(^|\/)\.{0,2}$/.test(path)) return undefined;
  if (isThere(path)) return undefined;
  const parent = realOrUndefined(dirname(path));
  return parent !== undefined && lstatSync(parent).isDirectory() ? join(parent, basename(path)) : undefined;
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function realOrUndefined(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
