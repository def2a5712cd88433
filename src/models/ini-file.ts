/** The sections of an INI file as AWS writes them. Total: lines that are neither a section nor `key = value` mean nothing. */
export function parseIni(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const name = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim().replace(/\s+/g, " ");
    if (name !== undefined) {
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
      continue;
    }
    // An indented line belongs to a nested setting; a comment begins with # or ;.
    const pair = /^([^\s#;=][^=]*)=(.*)$/.exec(line);
    if (pair !== null && section !== undefined)
      section.set((pair[1] ?? "").trim().toLowerCase(), settingOf(pair[2] ?? ""));
  }
  return sections;
}

/** A comment needs a space before it: secrets may hold # and ;. */
function settingOf(text: string): string {
  return text.replace(/\s[#;].*$/, "").trim();
}
