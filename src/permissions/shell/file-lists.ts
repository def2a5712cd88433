import type { Segment } from "./command-analysis.ts";

// Which commands print names of files below checked folders, for `… | xargs`.

export function isLister({ words, concerns }: Segment): boolean {
  if (concerns.length > 0 || seeksHidden(words)) return false;
  const [program = "", second = ""] = words;
  if (program === "find") return !words.some((word) => /^-(printf|exec|ls)$/.test(word));
  if (program === "fd") return true;
  if (program === "git") return second === "ls-files" || words.includes("--name-only");
  if (program === "rg")
    return hasSwitch(words, "l") || words.includes("--files") || words.includes("--files-with-matches");
  if (/^[ef]?grep$/.test(program)) return hasSwitch(words, "lL") || words.includes("--files-with-matches");
  return program === "ls" && !words.some((word) => /^-[^-]*[lgno]/.test(word) || word.includes("/"));
}

/** Lines of the input come out as they went in. */
export function isFilter({ words, concerns }: Segment): boolean {
  if (concerns.length > 0) return false;
  const [program = ""] = words;
  if (/^(head|tail|sort|uniq|shuf|tac)$/.test(program))
    return (
      words.slice(1).every((word) => word.startsWith("-") || /^\d+$/.test(word)) &&
      !words.some((word) => /^-[^-]*c/.test(word))
    );
  return (
    /^[ef]?grep$/.test(program) &&
    !hasSwitch(words, "oncbHZTr") &&
    words.filter((word) => !word.startsWith("-")).length === 2
  );
}

function hasSwitch(words: readonly string[], letters: string): boolean {
  return words.some((word) => /^-[^-]/.test(word) && [...letters].some((letter) => word.includes(letter)));
}

/** Looks for names that protected files have: nothing that is fed with its findings is allowed. */
export function seeksHidden(words: readonly string[]): boolean {
  return words.some((word, index) => {
    if (!/^(-i?name|-i?path|-i?wholename|-i?regex|-g|--glob|--iglob)$/.test(words[index - 1] ?? "")) return false;
    if (/^(-not|!)$/.test(words[index - 2] ?? "") || word.startsWith("!")) return false;
    return /^\.[^/]|\/\.[A-Za-z*?[]|env/i.test(word);
  });
}
