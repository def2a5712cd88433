// Text that is kept has a bound; what is left out is said.

/** A longer message keeps its beginning and its end. */
export const MAX_KEPT_CHARACTERS = 65_536;

/** A shortened text is a copy, so that it does not hold on to the long one. */
export function shortened(text: string, most = MAX_KEPT_CHARACTERS): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  const cut = `${text.slice(0, half)}\n… ${left.toLocaleString("en")} characters are left out here …\n${text.slice(-half)}`;
  return Buffer.from(cut).toString();
}
