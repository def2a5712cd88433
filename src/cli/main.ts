import { version } from "../../package.json";

// The entry. What is asked most often and needs nothing is answered before anything else is loaded.

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  console.log(`ralph ${version}`);
} else {
  const { run } = await import("./run.ts");
  process.exit(await run(argv, version));
}
