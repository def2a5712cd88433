/** The zone of every time on the wire, which names none itself. */
export const WIRE_ZONE = "UTC";

/** ISO 8601 with microseconds and no zone, as the protocol has it. */
export function wireTime(milliseconds: number): string {
  const micros = Math.floor((milliseconds - Math.floor(milliseconds)) * 1000);
  return `${new Date(Math.floor(milliseconds)).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}`;
}
