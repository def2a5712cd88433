// The grammar of a CSI sequence: marker, parameters, intermediates, final.

export interface ControlSequence {
  /** A private marker: `?`, `>`, `<` or `=`. */
  marker: string;
  /** Each parameter with its parts after colons; a missing number is undefined. */
  parameters: (number | undefined)[][];
  intermediates: string;
  final: string;
}

export function readSequence(body: string): ControlSequence {
  const parts = /^([<=>?]?)([0-9:;<=>?]*)([ -/]*)(.)$/.exec(body);
  const [, marker = "", numbers = "", intermediates = "", final = ""] = parts ?? [];
  const parameters = numbers
    .split(";")
    .map((group) => group.split(":").map((text) => (text === "" ? undefined : Number(text))));
  return { marker, parameters, intermediates, final };
}
