import { version } from "../../package.json";

// The entry. What is asked most often and needs nothing is answered before anything else is loaded.

/** Names the build in the compiled file; there is none when Ralph runs from source. */
declare const BUILD_ID: string | undefined;

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  const { writeSync } = await import("node:fs");
  writeSync(1, `ralph ${version}\n`);
} else {
  const { run } = await import("./run.ts");
  process.exit(await run(argv, { version, build: typeof BUILD_ID === "string" ? BUILD_ID : undefined }));
}
