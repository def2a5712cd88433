import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { ConfiguredPolicy, PolicyPlaces } from "../../permissions/gate/open-policy.ts";
import { isAskCategory } from "../../protocol/ask-categories.ts";
import { flagText, type RunContext } from "../run-context.ts";

/** What was configured for this run, for everybody who needs its policy. */
export function configuredPolicy(context: RunContext): ConfiguredPolicy {
  const listed = (name: string) => flagText(context, name)?.split("\n") ?? [];
  return {
    settings: context.settings.values,
    allowed: listed("allow"),
    allowedCategories: listed("allow-category").filter(isAskCategory),
    claude: async () => (await import("./claude-policy.ts")).claudePolicy(context),
  };
}

export function policyPlaces({ home, paths, clock, cwd }: RunContext): PolicyPlaces {
  return {
    workspace: realpathSync(cwd),
    home,
    own: { config: paths.config, data: paths.data },
    rememberedPath: join(paths.data, "permissions.json"),
    now: () => clock.now(),
  };
}
