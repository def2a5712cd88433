import type { AnswerWatch, BrokenRules } from "../../protocol/answer-watch.ts";
import type { InterruptMode, Rule } from "./rule.ts";
import { type MatcherOptions, type RuleHit, START_OF_ANSWER, stepMatcher } from "./rule-matcher.ts";
import broken from "./rules-broken.md" with { type: "text" };
import reminder from "./rules-reminder.md" with { type: "text" };
import type { WatchedRule } from "./watched-rule.ts";

export interface RuleSettings {
  contextMode: "discard" | "keep";
  interruptMode: InterruptMode;
  repeatMode: "once" | "after-gap";
  /** Answers between two times of one rule, where it may come again. */
  repeatGap: number;
}

export interface RuleWatchOptions extends Pick<MatcherOptions, "places" | "toolName"> {
  rules: readonly WatchedRule[];
  settings: RuleSettings;
  /** Rules the session was told already, and how many answers ago. */
  told: ReadonlyMap<string, number>;
  /** A line for the person. */
  note(line: string): void;
}

/** Watches the answers of one run. A rule counts as told once its words were handed out. */
export function createRuleWatch(options: RuleWatchOptions): AnswerWatch {
  const { settings, rules } = options;
  let answers = 0;
  const toldAt = new Map([...options.told].map(([name, ago]) => [name, -ago]));
  const mayCome = ({ rule: { name } }: WatchedRule) => {
    const at = toldAt.get(name);
    return at === undefined || (settings.repeatMode === "after-gap" && answers - at >= settings.repeatGap);
  };
  const stops: MatcherOptions["stops"] = (rule, source) =>
    isStopping(rule.interruptMode ?? settings.interruptMode, source === "tool");
  let matcher: MatcherOptions = { ...options, rules: [], stops };
  let state = START_OF_ANSWER;
  let hits: RuleHit[] = [];
  const tell = (told: readonly RuleHit[], words: string): BrokenRules => {
    for (const { rule } of told) toldAt.set(rule.name, answers);
    return { rules: told.map(({ rule: { name, path } }) => ({ name, path })), text: wordsOf(told, words) };
  };
  const giveUp = createGivingUp(options);
  return {
    begin() {
      matcher = { ...matcher, rules: rules.filter(mayCome) };
      state = START_OF_ANSWER;
      hits = [];
    },
    see(event) {
      const step = stepMatcher(state, event, matcher);
      state = step.state;
      hits = event.type === "attempt-retry" ? [] : [...hits, ...step.hits];
      return step.hits.some((hit) => hit.stops);
    },
    stopped() {
      const keepsAnswer = settings.contextMode === "keep";
      if (keepsAnswer) answers++;
      const why = hits.filter((hit) => hit.stops);
      return { ...tell(why, String(broken)), keepsAnswer };
    },
    ended() {
      answers++;
      giveUp();
      const said = hits.filter(({ toolCallId }) => toolCallId === undefined);
      return said.length === 0 ? undefined : tell(said, String(reminder));
    },
    beforeResult(id) {
      const done = hits.filter(({ toolCallId }) => toolCallId === id);
      return done.length === 0 ? undefined : tell(done, String(reminder));
    },
  };
}

function isStopping(mode: InterruptMode, isTool: boolean): boolean {
  return mode === "always" || mode === (isTool ? "tool-only" : "prose-only");
}

/** Says once of each rule that its condition is too hard to look for. */
function createGivingUp({ rules, note }: RuleWatchOptions): () => void {
  const said = new Set(rules.filter(({ automaton }) => automaton.isExhausted()));
  return () => {
    for (const watched of rules) {
      if (said.has(watched) || !watched.automaton.isExhausted()) continue;
      said.add(watched);
      note(
        `The rule ${watched.rule.name} is not watched for any more: its condition takes too long. Make ${watched.rule.path} simpler.`,
      );
    }
  };
}

const MOST_CHARACTERS = 16_000;

function wordsOf(hits: readonly RuleHit[], words: string): string {
  const rules = hits.map(({ rule }) => `<rule name="${rule.name}">\n${cut(rule)}\n</rule>`);
  return `<rule_reminder>\n${words.trim()}\n${rules.join("\n")}\n</rule_reminder>`;
}

function cut({ content }: Rule): string {
  return content.length <= MOST_CHARACTERS
    ? content
    : `${content.slice(0, MOST_CHARACTERS)}\n[cut here: a rule that is told may have ${MOST_CHARACTERS} characters]`;
}
