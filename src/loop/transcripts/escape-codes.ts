// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it is about
const ESCAPES = /\u001b(?:\[[0-9:;<=>?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it is about
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2060\ufeff]/g;

/** The line as a person reads it: without colours, control characters and characters of no width. For comparing, not for showing. */
export function readableText(line: string): string {
  return line.replace(ESCAPES, "").replace(CONTROLS, "");
}
