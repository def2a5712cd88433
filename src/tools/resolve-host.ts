/** All addresses the system knows for a host name. Rejects when there is none. */
export async function resolveHost(host: string): Promise<string[]> {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}
