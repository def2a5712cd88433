/** As seconds this is the year 5138, as milliseconds 1973: agents state both. */
const SECONDS_END = 1e11;

/** ISO 8601 from Unix time in seconds or milliseconds; undefined for a time that does not exist. */
export function isoTime(unixTime: number): string | undefined {
  const date = new Date(unixTime < SECONDS_END ? unixTime * 1000 : unixTime);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
