import { quoted } from "./task-fields.ts";

/** What git would not take in a branch name: separators, signs with a meaning of their own, and parts git keeps to itself. */
const FORBIDDEN = /[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|^[-./]|[./]$|^@$|^HEAD$|^refs\//u;

/** Why this cannot be the name of a branch, or undefined. */
export function branchProblem(name: string): string | undefined {
  if (name.trim() === "") return "is empty";
  if (name.length > LONGEST) return `is longer than ${LONGEST} characters`;
  return FORBIDDEN.test(name) ? `${quoted(name)} is no name git takes for a branch` : undefined;
}

const LONGEST = 200;
