// How much of a session goes into its page. Long texts and pictures share one allowance, all others another; of what has no
// room the beginning stays, and the page says how much is missing.

/** A longer text, counted in characters, is one of the long ones, as in the journal. */
const LONG = 16 * 1024;
const SHOWN_OF_CUT = 200;

export interface PageLimits {
  /** Characters of all long texts and pictures together. */
  long: number;
  /** Characters of all other texts together. */
  short: number;
}

export const PAGE_LIMITS: PageLimits = { long: 50_000_000, short: 100_000_000 };

export interface PageAllowance {
  /** The text, or its beginning and how much is missing. */
  take(text: string): string;
  /** Whether there is room for this picture. */
  hasRoomFor(data: string): boolean;
  /** What had no room, in sentences for a person. */
  leftOut(): string[];
}

export function createAllowance(limits: PageLimits = PAGE_LIMITS): PageAllowance {
  const room = { ...limits };
  const cut = { long: 0, short: 0 };
  const spend = (text: string): boolean => {
    const kind = text.length > LONG ? "long" : "short";
    // A text below the length that is kept of one that is cut always stays.
    if (text.length > room[kind] && text.length > SHOWN_OF_CUT) {
      cut[kind] += 1;
      return false;
    }
    room[kind] -= text.length;
    return true;
  };
  return {
    take: (text) => (spend(text) ? text : `${text.slice(0, SHOWN_OF_CUT)}\n[… ${left(text)} left out of this page …]`),
    hasRoomFor: spend,
    leftOut: () => [
      ...(cut.long > 0 ? [sentence("Long texts and pictures", limits.long, cut.long)] : []),
      ...(cut.short > 0 ? [sentence("Texts", limits.short, cut.short)] : []),
    ],
  };
}

function left(text: string): string {
  return `${(text.length - SHOWN_OF_CUT).toLocaleString("en-US")} characters`;
}

function sentence(what: string, limit: number, count: number): string {
  const room = `${Math.round(limit / 1e6)} MB`;
  return `${what} left out of this page, which has room for ${room} of them: ${count.toLocaleString("en-US")}. They are in: ralph sessions export ID --jsonl`;
}
