import { describe, expect, test } from "bun:test";
import { knownTree, rememberCommit, rememberTree, type TreeListing } from "../../../src/loop/git/known-trees.ts";
import type { Repository } from "../../../src/loop/git/repository.ts";

const id = (at: number) => String(at).padStart(40, "0");
const value = { mode: "100644", id: id(0) };

function listing(files: number): TreeListing {
  return {
    entries: new Map(Array.from({ length: files }, (_, at) => [`file-${at}`, value])),
    folders: new Map(),
  };
}

/** Nothing here asks it anything. */
function repository(): Repository {
  const never = () => Promise.reject(new Error("git was asked"));
  const places = { root: "/r", gitDirectory: "/r/.git", commonDirectory: "/r/.git", scratch: "/s" };
  return { ...places, isLinkedWorktree: false, idLength: 40, git: never, gitIn: never };
}

describe("what is known of trees", () => {
  test("is found by the tree's id and by that of its commit, in the same repository only", () => {
    const here = repository();
    const tree = listing(1);
    rememberTree(here, id(1), tree);
    rememberCommit(here, id(2), id(1));
    expect([id(1), id(2), id(3)].map((name) => knownTree(here, name))).toEqual([tree, tree, undefined]);
    expect(knownTree(repository(), id(1))).toBeUndefined();
  });

  test("is not remembered under names that can mean something else later", () => {
    const here = repository();
    for (const name of ["HEAD", id(1).slice(1), `${id(1)}^{tree}`]) rememberTree(here, name, listing(1));
    expect(["HEAD", id(1).slice(1), `${id(1)}^{tree}`].map((name) => knownTree(here, name))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is kept for the eight trees that were used last", () => {
    const here = repository();
    for (let at = 1; at <= 8; at++) rememberTree(here, id(at), listing(at));
    knownTree(here, id(1));
    rememberTree(here, id(9), listing(9));
    const kept = Array.from({ length: 9 }, (_, at) => at + 1).filter((at) => knownTree(here, id(at)) !== undefined);
    expect(kept).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("is forgotten where it is more than 400,000 files", () => {
    const here = repository();
    const large = listing(150_000);
    for (const at of [1, 2, 3]) rememberTree(here, id(at), large);
    rememberTree(here, id(4), listing(400_001));
    expect([1, 2, 3, 4].map((at) => knownTree(here, id(at)) !== undefined)).toEqual([false, false, false, false]);
    for (const at of [1, 2, 3]) rememberTree(here, id(at), large);
    expect([1, 2, 3].map((at) => knownTree(here, id(at)) !== undefined)).toEqual([false, true, true]);
  });
});
