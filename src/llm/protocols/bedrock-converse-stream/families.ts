import type { Model } from "../../../protocol/models.ts";

/** What one family of models behind the common API takes that others refuse. */
export interface Family {
  isClaude: boolean;
  /** Whether the system prompt and the conversation may hold cache points. */
  cachesPrompt: boolean;
  /** Whether the list of tools may end with one. */
  cachesTools: boolean;
  cachesForAnHour: boolean;
  /** Whether a tool's result may say that it is an error. */
  hasResultStatus: boolean;
}

const CLAUDE = /claude/;
const NOVA = /\bnova-/;
const CACHING_CLAUDE = /claude-(?:3-7|3-5-haiku|[a-z]+-\d)/;
/** Claude 4.5 and later. The digits behind a 4 may also be the date of a version without a minor number. */
const HOUR_CACHING_CLAUDE = /claude-[a-z]+-(?:4-(?:[5-9]|\d\d)(?!\d)|[5-9])/;

/** Told by the ids and the name, because a profile of the account has an id that says nothing. */
export function familyOf(model: Model): Family {
  const names = [model.wireModelId ?? "", model.id, model.name]
    .join(" ")
    .toLowerCase()
    .replace(/[\s.]+/g, "-");
  const isClaude = CLAUDE.test(names);
  const isNova = !isClaude && NOVA.test(names);
  const cachesTools = CACHING_CLAUDE.test(names);
  return {
    isClaude,
    cachesPrompt: cachesTools || isNova,
    cachesTools,
    cachesForAnHour: HOUR_CACHING_CLAUDE.test(names),
    hasResultStatus: isClaude || isNova,
  };
}
