import { lookup } from "node:dns/promises";

/** All addresses the system knows for a host name. Rejects when there is none. */
export async function resolveHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}
