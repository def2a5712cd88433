import { fileURLToPath } from "node:url";

const place = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * What Bun is given to run Ralph from source. Ralph works in folders somebody else wrote, and Bun would read .env, bunfig.toml and
 * tsconfig.json there, which may name code to load, and install what is missing.
 */
export function sourceArguments() {
  return [
    "--no-env-file",
    "--no-install",
    `--config=${place("./bunfig.toml")}`,
    `--tsconfig-override=${place("./tsconfig.json")}`,
    place("../src/cli/main.ts"),
  ];
}
