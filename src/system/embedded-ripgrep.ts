/** Where the `rg` of this program lies. */
export type RipgrepPlace =
  /** A package in a node_modules folder around this one. */
  | { type: "package"; beside: string }
  /** Inside the compiled file, where it can be read but not run. */
  | { type: "embedded"; path: string; bytes: number; sha256: string }
  | { type: "none" };

/** `scripts/build.ts` puts another module in the place of this one, with the `rg` of the platform it builds for. */
export const ripgrepPlace: RipgrepPlace = { type: "package", beside: import.meta.dir };
