const MAX_REFERENCE = 512;

/** The paths a Markdown text mentions as `@path`, each once, in order. What stands in code is an example, not a mention. */
export function fileReferences(markdown: string): string[] {
  const found = new Set<string>();
  for (const line of linesOutsideFences(markdown)) {
    for (const match of withoutCode(line).matchAll(/(?:^|[\s([])@([^\s@`'"<>()[\]]+)/g)) {
      const path = (match[1] ?? "").replace(/[.,;:!?]+$/, "");
      if (path !== "" && path.length <= MAX_REFERENCE && !path.includes("\0")) found.add(path);
    }
  }
  return [...found];
}

function linesOutsideFences(markdown: string): string[] {
  let fence: string | undefined;
  return markdown.split("\n").filter((line) => {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      return mark === undefined;
    }
    if (mark?.startsWith(fence)) fence = undefined;
    return false;
  });
}

function withoutCode(line: string): string {
  return line
    .split(/`+/)
    .filter((_, index, pieces) => index % 2 === 0 || index === pieces.length - 1)
    .join(" x ");
}
