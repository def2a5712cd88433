/** What Bun is given to run Ralph from source. */
export function sourceArguments(): string[];
