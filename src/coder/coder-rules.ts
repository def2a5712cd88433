import type { AnswerWatch } from "../protocol/answer-watch.ts";
import type { HostContent, HostOutcome } from "../protocol/host-schemes.ts";
import type { HostAddresses } from "../tools/host-addresses.ts";

/** The rules of people as one agent uses them. */
export interface CoderRules {
  /** Made anew for every prompt. Absent where no rule watches. */
  watch?(wiring: RuleWiring): AnswerWatch;
  /** Rules the model can read. Absent where there are none. */
  pages?: { isRule(url: string): boolean; read(url: string): HostOutcome<HostContent> };
}

export interface RuleWiring {
  /** Rules the session was told already, and how many answers ago. */
  told: ReadonlyMap<string, number>;
  /** The name of the tool a name stands for. */
  toolName(name: string): string;
  /** A line for the person. */
  note(line: string): void;
}

/** Addresses of rules beside those of whoever drives the agent. What the prompt says of rules is not said again. */
export function withRulePages(addresses: HostAddresses | undefined, rules: CoderRules | undefined) {
  const pages = rules?.pages;
  if (pages === undefined) return addresses;
  const readOnly = (url: string) => ({ ok: false as const, message: `${url} cannot be written: rules are only read.` });
  const together: HostAddresses = {
    isHosted: (path) => pages.isRule(path) || addresses?.isHosted(path) === true,
    read: async (url, signal) => (pages.isRule(url) ? pages.read(url) : (addresses?.read(url, signal) ?? gone(url))),
    write: async (url, content, signal) =>
      pages.isRule(url) ? readOnly(url) : (addresses?.write(url, content, signal) ?? gone(url)),
    described: () => addresses?.described() ?? "",
    replace: (schemes) => addresses?.replace(schemes),
  };
  return together;
}

function gone(url: string): { ok: false; message: string } {
  return { ok: false, message: `Nobody reads or writes ${url}.` };
}
