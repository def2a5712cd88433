import type { Redirection as SyntaxRedirection } from "unbash";
import type { Concern, PathUse, Redirection } from "./command-analysis.ts";
import { hasParentComponent, isHarmlessDevice, resolveFrom } from "./lexical-path.ts";
import type { ReadWord } from "./read-word.ts";

export interface ReadRedirections {
  redirections: Redirection[];
  paths: PathUse[];
  concerns: Concern[];
}

/** `target` decodes the word a redirection points at. */
export function readRedirections(
  list: readonly SyntaxRedirection[],
  cwds: readonly string[] | undefined,
  target: (redirection: SyntaxRedirection) => ReadWord | undefined,
): ReadRedirections {
  const result: ReadRedirections = { redirections: [], paths: [], concerns: [] };
  for (const redirection of list) {
    const word = target(redirection);
    const known = word !== undefined && word.soft === undefined && word.concerns.length === 0 ? word.text : undefined;
    result.redirections.push({ operator: redirection.operator, target: known });
    if (redirection.descriptor?.type === "FileDescriptorVariable")
      result.concerns.push({ type: "redirect", detail: "a redirection into a variable" });
    addTarget(result, { operator: redirection.operator, known, text: word?.source ?? "" }, cwds);
  }
  return result;
}

interface Target {
  operator: string;
  known: string | undefined;
  text: string;
}

function addTarget(result: ReadRedirections, target: Target, cwds: readonly string[] | undefined): void {
  const { operator, known, text } = target;
  if (operator.startsWith("<<")) {
    result.concerns.push({ type: "here-document", detail: "text handed over in place" });
    return;
  }
  if (operator.endsWith("&") && known !== undefined && /^(\d{1,3}-?|-)$/.test(known)) return;
  if (known !== undefined && isHarmlessDevice(known) && operator !== "<&") return;
  const reads = operator === "<";
  if (!reads) result.concerns.push({ type: "redirect", detail: `writes to ${text}` });
  else if (known === undefined) result.concerns.push({ type: "redirect", detail: `reads from ${text}` });
  else if (/^\/dev\/(tcp|udp)\//.test(known))
    result.concerns.push({ type: "redirect", detail: `${known} opens a connection` });
  else if (hasParentComponent(known))
    result.concerns.push({ type: "parent-path", detail: `${known} goes through a parent folder` });
  const kind = reads ? "read" : "write";
  if (known === undefined || cwds === undefined) result.paths.push({ kind, path: undefined, text });
  else for (const cwd of cwds) result.paths.push({ kind, path: resolveFrom(cwd, known), text });
}
