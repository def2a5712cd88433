import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk";
import type { Ask, AskOption } from "../../protocol/asks.ts";

/** The answers an ask offers, as the editor puts them; what is kept is shown before it counts. */
export function permissionOptions({ options, rules = [] }: Pick<Ask, "options" | "rules">): PermissionOption[] {
  const kept = rules.join(" ");
  return OPTION_ROWS.filter(({ option }) => options.includes(option)).map(({ option, kind, name }) => ({
    optionId: option,
    kind,
    name: name.replace("%", () => kept),
  }));
}

const OPTION_ROWS: readonly { option: AskOption; kind: PermissionOption["kind"]; name: string }[] = [
  { option: "yes", kind: "allow_once", name: "Yes" },
  { option: "session", kind: "allow_always", name: "For this session: %" },
  { option: "always", kind: "allow_always", name: "Always: %" },
  { option: "no", kind: "reject_once", name: "No" },
  { option: "never", kind: "reject_always", name: "Never: %" },
];

/** What is none of the answers that were offered is a no. */
export function permissionAnswer(outcome: RequestPermissionOutcome, { options }: Pick<Ask, "options">): AskOption {
  if (outcome.outcome !== "selected") return "no";
  return options.find((option) => option === outcome.optionId) ?? "no";
}
