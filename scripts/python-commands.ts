// Writes the methods of the Python client from the table of commands.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { RPC_COMMANDS } from "../src/rpc/commands.ts";
import { alternativesOf, membersOf, objectIn, type Schema, schemaOf } from "./client-types.ts";

export const PYTHON_COMMANDS = join(import.meta.dir, "../clients/python/ralph_rpc/commands.py");

/** These do more than send their command, in client.py. */
const OWN = ["prompt", "abort_and_prompt", "set_host_tools", "set_host_uri_schemes"];

const HEAD = `"""One method per command of \`\`ralph --mode rpc\`\`. Made from its table by scripts/python-commands.ts."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional


class Commands:
    """What a host can ask for. Answers are the \`\`data\`\` of the wire; \`\`{}\`\` where there is none."""

    def call(
        self, command: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Sends any command and waits for its answer."""
        raise NotImplementedError
`;

const TAIL = `

def _given(fields: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
`;

export function pythonCommands(): string {
  const methods = Object.entries(RPC_COMMANDS)
    .filter(([name]) => !OWN.includes(name))
    .map(([name, command]) => methodText(name, command));
  return `${HEAD}${methods.join("")}${TAIL}`;
}

interface Command {
  description: string;
  params: z.ZodType;
  result: z.ZodType;
}

function methodText(name: string, { description, params, result }: Command): string {
  const named = new Map<string, Schema>();
  const fields = membersOf(schemaOf(params, named)).map(({ name: wire, isRequired, schema }) => ({
    wire,
    isRequired,
    name: snakeCase(wire),
    type: hint(schema, named),
  }));
  const [required, optional] = [
    fields.filter(({ isRequired }) => isRequired),
    fields.filter((each) => !each.isRequired),
  ];
  const taken = [
    "self",
    ...required.map((field) => `${field.name}: ${field.type}`),
    "*",
    ...optional.map((field) => `${field.name}: Optional[${field.type}] = None`),
    "timeout: Optional[float] = None",
  ];
  const pairs = (list: typeof fields) => list.map((field) => `"${field.wire}": ${field.name}`).join(", ");
  const given = optional.length === 0 ? "" : `_given({${pairs(optional)}})`;
  const sent = required.length === 0 ? given || "{}" : `{${pairs(required)}${given === "" ? "" : `, **${given}`}}`;
  return `
    def ${name}(
        ${taken.join(", ")}
    ) -> ${hint(schemaOf(result, named), named)}:
        """${description.replaceAll("`", "``")}"""
        return self.call("${name}", ${sent}, timeout=timeout)
`;
}

function hint(schema: Schema, named: ReadonlyMap<string, Schema>): string {
  if (typeof schema.$ref === "string")
    return hint(objectIn(named.get(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1))), named);
  if (Array.isArray(schema.enum)) return `Literal[${schema.enum.map((choice) => JSON.stringify(choice)).join(", ")}]`;
  const alternatives = alternativesOf(schema);
  const present = alternatives.filter(({ type }) => type !== "null");
  if (present.length < alternatives.length) return `Optional[${hint(objectIn(present[0]), named)}]`;
  if (schema.type === "array") return `List[${hint(objectIn(schema.items), named)}]`;
  return HINTS[String(schema.type)] ?? "Any";
}

const HINTS: Record<string, string> = {
  string: "str",
  number: "float",
  integer: "int",
  boolean: "bool",
  object: "Dict[str, Any]",
};

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

if (import.meta.main) writeFileSync(PYTHON_COMMANDS, pythonCommands());
