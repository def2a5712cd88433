/** Opens the connection to a model's host beside everything else, so that the first request finds it open. Only ever a help. */
export function preconnectModelHost(baseUrl: string): void {
  if (!/^https?:\/\//.test(baseUrl)) return;
  try {
    fetch.preconnect(baseUrl);
  } catch {
    // The request itself will say what is wrong with the address.
  }
}
