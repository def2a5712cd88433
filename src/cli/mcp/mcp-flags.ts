import type { CommandFlagRow } from "../flag-rows.ts";
import { SERVED_RUN_FLAGS } from "../loop/run-flags.ts";

// The flags of `ralph mcp serve`: how it is reached, what it serves, and how the loops are run that others start through it.

/** They mean something with `--transport http` only. */
export const HTTP_FLAGS: readonly CommandFlagRow[] = [
  {
    name: "host",
    value: "ADDRESS",
    description: "with http: where to listen (127.0.0.1, which only this machine reaches)",
  },
  { name: "port", value: "N", description: "with http: the port (8417); 0 for any that is free" },
  {
    name: "token-file",
    value: "FILE",
    description: "with http: the token clients have to send is in FILE; else in RALPH_MCP_TOKEN; else one is made",
  },
];

export const MCP_FLAGS: readonly CommandFlagRow[] = [
  {
    name: "transport",
    value: "KIND",
    choices: ["stdio", "http"],
    description: "how clients reach it: stdio, where absent, or http",
  },
  ...HTTP_FLAGS,
  {
    name: "root",
    value: "DIR",
    repeats: true,
    description: "serve only what lies in this folder (where you are); may be given again",
  },
  ...SERVED_RUN_FLAGS,
];
