/** What a pattern for one name is made of. A star is any letters or none. */
export type NamePiece =
  | { type: "letter"; letter: string }
  | { type: "any" }
  | { type: "set"; has(letter: string): boolean }
  | { type: "star" };

/** Tests names, which have no slash, without ever trying two stars against each other. */
export function nameTest(pieces: readonly NamePiece[]): (name: string) => boolean {
  const runs = literalRuns(pieces);
  if (runs !== undefined) return literalTest(runs);
  const least = pieces.filter(({ type }) => type !== "star").length;
  return (name) => name.length >= least && piecesFit(pieces, lettersOf(name));
}

/** The text between the stars, where there is nothing else; undefined where there is. */
function literalRuns(pieces: readonly NamePiece[]): string[] | undefined {
  const runs = [""];
  for (const piece of pieces) {
    if (piece.type === "star") runs.push("");
    else if (piece.type === "letter") runs[runs.length - 1] += piece.letter;
    else return undefined;
  }
  return runs;
}

/** Most names in ignore files: no star or one. */
function literalTest(runs: readonly string[]): (name: string) => boolean {
  const [first = ""] = runs;
  if (runs.length === 1) return (name) => name === first;
  const last = runs.at(-1) ?? "";
  const middle = runs.slice(1, -1).filter((run) => run !== "");
  const least = runs.reduce((sum, { length }) => sum + length, 0);
  return (name) => {
    if (name.length < least || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const run of middle) {
      const found = name.indexOf(run, at);
      if (found < 0) return false;
      at = found + run.length;
    }
    return at + last.length <= name.length;
  };
}

/** A name is a list of its letters, unless one of them takes two places. */
function lettersOf(name: string): ArrayLike<string> {
  return /[\ud800-\udbff]/.test(name) ? Array.from(name) : name;
}

/** Where a letter does not fit, only the last star takes one letter more: what those before it took is the least they could. */
function piecesFit(pieces: readonly NamePiece[], letters: ArrayLike<string>): boolean {
  let piece = 0;
  let at = 0;
  let retry: { piece: number; at: number } | undefined;
  while (true) {
    const wanted = pieces[piece];
    if (wanted?.type === "star") {
      retry = { piece: ++piece, at };
      continue;
    }
    const letter = letters[at];
    if (wanted === undefined && letter === undefined) return true;
    if (wanted !== undefined && letter !== undefined && letterFits(wanted, letter)) {
      piece++;
      at++;
      continue;
    }
    if (retry === undefined || letter === undefined) return false;
    retry = { piece: retry.piece, at: retry.at + 1 };
    ({ piece, at } = retry);
  }
}

function letterFits(piece: Exclude<NamePiece, { type: "star" }>, letter: string): boolean {
  switch (piece.type) {
    case "letter":
      return piece.letter === letter;
    case "any":
      return true;
    case "set":
      return piece.has(letter);
  }
}
