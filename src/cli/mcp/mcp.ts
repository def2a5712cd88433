import { EXIT } from "../exit-codes.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { HTTP_FLAGS } from "./mcp-flags.ts";
import { openRoots } from "./served-roots.ts";

/** `ralph mcp serve`: other agents make tasks, start and watch loops and read sessions. */
export async function mcp(context: RunContext, version: string): Promise<number> {
  const opened = openRoots(flagText(context, "root")?.split("\n") ?? [], context.cwd);
  const refusal = usageProblem(context) ?? (opened.ok ? undefined : opened.message);
  if (!opened.ok || refusal !== undefined) {
    context.note(refusal ?? "");
    return EXIT.usage;
  }
  const { servedTools, INSTRUCTIONS } = await import("./served-tools.ts");
  const { taskResources } = await import("./task-resources.ts");
  const offer = {
    version,
    instructions: INSTRUCTIONS,
    tools: servedTools({ context, roots: opened.roots, starting: new Set() }),
    resources: taskResources(opened.roots),
  };
  if (flagText(context, "transport") === "http") return (await import("./over-http.ts")).overHttp(context, offer);
  return (await import("./over-stdio.ts")).overStdio(context, offer);
}

function usageProblem(context: RunContext): string | undefined {
  const { words } = context.arguments;
  if (words.length > 1) return `Only one word is understood, not: ${words.join(" ")}. See: ralph help mcp`;
  if (words.length === 0 && !hasFlag(context, "transport")) return "Say what to do with it: ralph mcp serve";
  if (flagText(context, "transport") === "http") return undefined;
  const stray = HTTP_FLAGS.find(({ name }) => hasFlag(context, name));
  return stray && `--${stray.name} only means something with --transport http.`;
}
