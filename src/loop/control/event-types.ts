// What a client can subscribe to. Each type is a bit, so that whether anybody wants an event is one operation.

export const EVENT_BITS = { output: 1, state_change: 2, "x/entry": 4, "x/pty": 8 } as const;
export type EventType = keyof typeof EVENT_BITS;

/** `*` means the types of the protocol. Ours have to be named, because a client of the protocol does not know them. */
const SUBSCRIPTION_BITS = new Map<string, number>([
  ...Object.entries(EVENT_BITS),
  ["*", EVENT_BITS.output | EVENT_BITS.state_change],
]);

export const SUBSCRIPTIONS: readonly string[] = [...SUBSCRIPTION_BITS.keys()];

export function isSubscription(name: string): boolean {
  return SUBSCRIPTION_BITS.has(name);
}

export function bitsOf(subscriptions: Iterable<string>): number {
  let bits = 0;
  for (const name of subscriptions) bits |= SUBSCRIPTION_BITS.get(name) ?? 0;
  return bits;
}
