import { spelled } from "./spelled-number.ts";

/**
 * The beginning and the end of a text, `keep` characters together, and between them a line that says how many were left out.
 * Two thirds are the beginning. No character is cut in two. A text that would not get shorter stays.
 */
export function headAndTail(text: string, keep: number, why: string): string {
  if (text.length <= keep) return text;
  const headEnd = wholeBefore(text, Math.ceil((keep * 2) / 3));
  const tailStart = wholeAfter(text, text.length - Math.floor(keep / 3));
  const count = spelled(tailStart - headEnd);
  const shortened = `${text.slice(0, headEnd)}\n[… ${count} characters left out: ${why} …]\n${text.slice(tailStart)}`;
  return shortened.length < text.length ? shortened : text;
}

function wholeBefore(text: string, place: number): number {
  return isHighSurrogate(text.charCodeAt(place - 1)) ? place - 1 : place;
}

function wholeAfter(text: string, place: number): number {
  return isHighSurrogate(text.charCodeAt(place - 1)) ? place + 1 : place;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
