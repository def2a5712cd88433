import type { TestExpression, Word } from "unbash";
import type { Concern } from "./command-analysis.ts";
import type { ReadWord } from "./read-word.ts";

export interface TestReading {
  concerns: Concern[];
  /** Files it looks at. */
  paths: string[];
}

/** `[[ … ]]`: plain tests of files and texts. What evaluates its operands is refused. */
export function testConcerns(expression: TestExpression, read: (word: Word) => ReadWord): TestReading {
  switch (expression.type) {
    case "TestUnary":
      return unary(expression.operator, read(expression.operand));
    case "TestBinary":
      return binary(expression.operator, read(expression.left), read(expression.right));
    case "TestLogical":
      return merged(expression.operands.map((operand) => testConcerns(operand, read)));
    case "TestNot":
      return testConcerns(expression.operand, read);
    case "TestGroup":
      return testConcerns(expression.expression, read);
  }
}

function unary(operator: string, word: ReadWord): TestReading {
  if (operator === "-n" || operator === "-z") return { concerns: word.concerns, paths: [] };
  if (/^-[abcdefghkprsuwxLNSGO]$/.test(operator) && word.soft === undefined)
    return { concerns: word.concerns, paths: [word.text] };
  return {
    concerns: [...word.concerns, { type: "expansion", detail: `[[ ${operator} … ]] may evaluate its operand` }],
    paths: [],
  };
}

function binary(operator: string, left: ReadWord, right: ReadWord): TestReading {
  const concerns = [...left.concerns, ...right.concerns];
  if (/^(==?|!=|=~|<|>)$/.test(operator)) return { concerns, paths: [] };
  const numbers = [left, right].every(
    ({ text, soft }) => /^-?\d+$/.test(text) && (soft === undefined || soft === "number"),
  );
  if (/^-(eq|ne|lt|le|gt|ge)$/.test(operator) && numbers) return { concerns, paths: [] };
  return {
    concerns: [...concerns, { type: "expansion", detail: `[[ … ${operator} … ]] may evaluate its operands` }],
    paths: [],
  };
}

function merged(readings: readonly TestReading[]): TestReading {
  return { concerns: readings.flatMap(({ concerns }) => concerns), paths: readings.flatMap(({ paths }) => paths) };
}
