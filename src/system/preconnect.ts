/**
 * Opens the connection to a host beside everything else, so that the first request finds it open. Only ever a help: the runtime
 * cannot do it for addresses without a port of their own, and what is wrong with an address the request itself will say.
 */
export function preconnect(address: string): void {
  if (!/^https?:\/\//i.test(address)) return;
  try {
    fetch.preconnect(new URL(address).origin);
  } catch {
    // see above
  }
}
