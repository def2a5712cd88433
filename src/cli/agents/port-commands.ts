import type { AgentPort } from "../../rpc/agent-port.ts";
import { policyPlaces } from "../permissions/configured-policy.ts";
import type { RunContext } from "../run-context.ts";
import type { LiveAgent } from "./open-agent.ts";

type CommandPart = Pick<AgentPort, "runCommand" | "abortCommand" | "inspectCommand" | "isInWorkspace">;

/** Commands of the person, and what Ralph knows of a command or a place before anything is done. */
export function createPortCommands(context: RunContext, current: () => LiveAgent): CommandPart {
  let opening: ReturnType<typeof openWorld> | undefined;
  const world = () => {
    opening ??= openWorld(context);
    return opening;
  };
  return {
    async runCommand(command) {
      const ran = await current().coder.commands.run(command);
      if (!ran.ok) return ran;
      const { output, ending, exitCode, isStopped, isTruncated, artifact } = ran;
      // Without a code and without a stop nothing else says that it never began, or how it was ended.
      const isUnexplained = exitCode === undefined && !isStopped;
      return {
        ok: true,
        output: isUnexplained ? `${output}${output === "" ? "" : "\n"}[${ending}]` : output,
        ...(exitCode === undefined ? {} : { exitCode }),
        cancelled: isStopped,
        truncated: isTruncated,
        ...(artifact === undefined ? {} : { fullOutputPath: artifact }),
      };
    },
    abortCommand: () => void current().coder.commands.stop(),
    async inspectCommand(command, cwd) {
      const { commandFacts } = await import("../../permissions/gate/command-facts.ts");
      const places = await world();
      return commandFacts(command, cwd ?? places.workspace, places);
    },
    async isInWorkspace(path) {
      const { classify, workspace } = await world();
      return classify({ workspace, op: "read", path }).class === "inside";
    },
  };
}

/** Loaded with the first question. */
async function openWorld(context: RunContext) {
  const { createPathClassifier } = await import("../../permissions/paths/classify-path.ts");
  const { workspace, home, own, now } = policyPlaces(context);
  return { workspace, home, classify: createPathClassifier({ home, own, now }) };
}
