import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import type { FaceName } from "./face.ts";

/** Which face the flags ask for. `--output-format` is what Claude Code calls `--mode`. */
export function faceName(context: RunContext): FaceName {
  if (hasFlag(context, "json")) return "json";
  const format = flagText(context, "output-format");
  if (format === "json") return "result-json";
  const mode = format ?? flagText(context, "mode");
  if (mode === "stream-json") return "stream-json";
  return mode === "json" ? "events" : "text";
}

/** What is wrong with the flags about output. */
export function faceProblem(context: RunContext): string | undefined {
  const given = [
    hasFlag(context, "json") ? "--json" : undefined,
    ["json", "stream-json"].includes(flagText(context, "mode") ?? "")
      ? `--mode ${flagText(context, "mode")}`
      : undefined,
    hasFlag(context, "output-format") ? `--output-format ${flagText(context, "output-format")}` : undefined,
  ].filter((flag) => flag !== undefined);
  const [one, other] = given;
  return other === undefined ? undefined : `${one} and ${other} are two forms of output. Give one of them.`;
}
