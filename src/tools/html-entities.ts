/** Names that were in use before semicolons were demanded; text may end them without one. */
const OLD_NAMES: Record<string, string> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0", copy: "©", reg: "®", deg: "°", middot: "·", para: "¶" },
  ...{ sect: "§", laquo: "«", raquo: "»", times: "×", divide: "÷", plusmn: "±", micro: "µ", pound: "£", yen: "¥" },
  ...{ cent: "¢", frac12: "½", frac14: "¼", frac34: "¾", sup1: "¹", sup2: "²", sup3: "³", iexcl: "¡", iquest: "¿" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è" },
  ...{ ecirc: "ê", euml: "ë", agrave: "à", aacute: "á", acirc: "â", atilde: "ã", aring: "å", aelig: "æ", ccedil: "ç" },
  ...{
    iacute: "í",
    igrave: "ì",
    icirc: "î",
    iuml: "ï",
    ntilde: "ñ",
    oacute: "ó",
    ograve: "ò",
    ocirc: "ô",
    otilde: "õ",
  },
  ...{
    oslash: "ø",
    uacute: "ú",
    ugrave: "ù",
    ucirc: "û",
    yacute: "ý",
    yuml: "ÿ",
    Eacute: "É",
    Aring: "Å",
    Oslash: "Ø",
  },
  ...{ shy: "", not: "¬", ordm: "º", ordf: "ª", acute: "´", cedil: "¸", macr: "¯", uml: "¨", thorn: "þ", eth: "ð" },
};

const NAMES: Record<string, string> = {
  ...OLD_NAMES,
  ...{ apos: "'", ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", sbquo: "‚", bdquo: "„" },
  ...{ hellip: "…", bull: "•", trade: "™", euro: "€", larr: "←", rarr: "→", uarr: "↑", darr: "↓", harr: "↔" },
  ...{ lArr: "⇐", rArr: "⇒", hArr: "⇔", minus: "−", infin: "∞", ne: "≠", le: "≤", ge: "≥", asymp: "≈", equiv: "≡" },
  ...{
    sum: "∑",
    prod: "∏",
    radic: "√",
    int: "∫",
    part: "∂",
    nabla: "∇",
    isin: "∈",
    forall: "∀",
    exist: "∃",
    empty: "∅",
  },
  ...{ and: "∧", or: "∨", cap: "∩", cup: "∪", sub: "⊂", sup: "⊃", lang: "⟨", rang: "⟩", lceil: "⌈", rceil: "⌉" },
  ...{ alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", theta: "θ", lambda: "λ", mu: "μ", pi: "π" },
  ...{ rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", omega: "ω", Delta: "Δ", Sigma: "Σ", Omega: "Ω", dagger: "†" },
  ...{ ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", zwj: "\u200d", zwnj: "\u200c", check: "✓", star: "☆" },
  ...{ lbrace: "{", rbrace: "}", lbrack: "[", rbrack: "]", lpar: "(", rpar: ")", num: "#", grave: "`", Tab: "\t" },
  ...{ NewLine: "\n", colon: ":", semi: ";", comma: ",", period: ".", excl: "!", quest: "?", equals: "=", plus: "+" },
  ...{ lowbar: "_", ast: "*", sol: "/", bsol: "\\", vert: "|", dollar: "$", percnt: "%", commat: "@", Hat: "^" },
};

/** An unknown entity stays as it is written. In an attribute a name without its semicolon is part of an address. */
export function decodeEntities(text: string, where: "text" | "attribute"): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#\d{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,30})(;?)/g, (whole, name, end) => {
    if (name.startsWith("#")) return characterOf(name.slice(1));
    if (end === "" && where === "attribute") return whole;
    const names = end === ";" ? NAMES : OLD_NAMES;
    return Object.hasOwn(names, name) ? (names[name] ?? whole) : whole;
  });
}

const REPLACEMENT = "\ufffd";

function characterOf(digits: string): string {
  const code = /^[xX]/.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 10);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : REPLACEMENT;
}
