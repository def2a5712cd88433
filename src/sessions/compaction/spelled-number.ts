/** For example 151,000. The same everywhere, whatever language the machine speaks: it stands in what models are sent. */
export function spelled(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
