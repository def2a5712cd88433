import { printable } from "../printable.ts";

/** What an agent printed, as a terminal may show it: without colours, and with nothing that steers the terminal. */
export function agentText(text: string): string {
  return printable(Bun.stripANSI(text.replaceAll("\r\n", "\n")));
}
