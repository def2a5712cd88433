import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { loadRegistry } from "../../models/load-registry.ts";
import { placeModel } from "../../models/model-endpoint.ts";
import type { Model } from "../../protocol/models.ts";
import { canConnect } from "../../system/can-connect.ts";
import { modelInput } from "../model-choice.ts";
import { proxyFor } from "../proxy.ts";
import type { RunContext } from "../run-context.ts";
import { sandboxChoice } from "../sandbox-choice.ts";
import { describeProblem } from "../settings/layers.ts";
import type { Finding } from "./finding.ts";
import { logins } from "./logins.ts";

/** Every check by itself: one that finds nothing good does not hide the others. */
export async function runChecks(context: RunContext, version: string): Promise<Finding[]> {
  const checks = [
    runtime(version),
    storage(),
    folders(context),
    settings(context),
    models(context),
    logins(context),
    programs(context),
    secrets(context),
    sandbox(context),
  ];
  return (await Promise.all(checks)).flat();
}

async function runtime(version: string): Promise<Finding[]> {
  return [
    {
      subject: "runtime",
      state: "ok",
      text: `ralph ${version} on Bun ${Bun.version}, ${process.platform}-${process.arch}`,
    },
  ];
}

async function storage(): Promise<Finding[]> {
  const { sqliteVersion, SQLITE_MINIMUM } = await import("../../system/sqlite.ts");
  const found = await sqliteVersion();
  if (Bun.semver.order(found, SQLITE_MINIMUM) >= 0)
    return [{ subject: "storage", state: "ok", text: `SQLite ${found}` }];
  const fix = "Run the Bun that npm ci installs, or the compiled file.";
  return [{ subject: "storage", state: "failed", text: `SQLite ${found} is older than ${SQLITE_MINIMUM}`, fix }];
}

async function folders({ paths }: RunContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [subject, path] of [
    ["configuration", paths.config],
    ["data", paths.data],
  ] as const) {
    const writable = await isWritable(path);
    findings.push(
      writable
        ? { subject, state: "ok", text: path }
        : {
            subject,
            state: "failed",
            text: `${path} cannot be written`,
            fix: "Give yourself the right to write there, or set RALPH_HOME to another folder.",
          },
    );
  }
  return findings;
}

/** A folder that is not there yet is writable where its nearest parent is. */
async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch (error) {
    const missing = (error as { code?: string }).code === "ENOENT" && dirname(path) !== path;
    return missing && isWritable(dirname(path));
  }
}

async function settings({ settings: { problems } }: RunContext): Promise<Finding[]> {
  if (problems.length === 0) return [{ subject: "settings", state: "ok", text: "no mistakes in config.yml" }];
  return problems.map((problem) => ({
    subject: "settings",
    state: "warning",
    text: describeProblem(problem),
    fix: "Correct or remove it; until then it is left out. All settings: ralph config",
  }));
}

async function models(context: RunContext): Promise<Finding[]> {
  const { registry, notes } = await loadRegistry(modelInput(context), { discover: true });
  // What is wrong with the store is told by the check of the logins.
  const ofTheFile = notes.filter((text) => text !== context.credentials.problem());
  const findings: Finding[] = ofTheFile.map((text) => ({ subject: "models.yml", state: "warning", text }));
  const byProvider = Map.groupBy(registry.getAvailable(), (model) => model.provider);
  byProvider.delete("scripted");
  for (const [provider, [first, ...others]] of byProvider) {
    if (first !== undefined) findings.push(await providerFinding(context, provider, [first, ...others]));
  }
  if (byProvider.size > 0) return findings;
  const fix =
    "Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, log in (ralph login), or start Ollama, llama.cpp or LM Studio. What is missing for each: ralph models";
  return [...findings, { subject: "models", state: "failed", text: "no model can be used", fix }];
}

async function providerFinding(
  { environment }: RunContext,
  provider: string,
  available: [Model, ...Model[]],
): Promise<Finding> {
  const subject = provider;
  const count = `${available.length} model${available.length === 1 ? "" : "s"}`;
  const placed = placeModel(available[0], environment);
  if (!placed.ok) return { subject, state: "warning", text: `${count}, but no address`, fix: placed.message };
  const address = URL.parse(placed.model.baseUrl);
  if (address === null || !address.protocol.startsWith("http")) return { subject, state: "ok", text: count };
  const proxy = proxyFor(address.href, environment);
  const reached = await canConnect(proxy === undefined ? address : new URL(proxy), CONNECT_MS);
  const way = proxy === undefined ? address.host : `the proxy ${new URL(proxy).host}`;
  if (reached) return { subject, state: "ok", text: `${count}, ${way} is reachable (the key is not tried)` };
  return {
    subject,
    state: "warning",
    text: `${count}, but ${way} does not answer`,
    fix: "Check the network, the proxy variables and baseUrl in models.yml.",
  };
}

const CONNECT_MS = 2000;

/** Programs Ralph works better with. */
const PROGRAMS = [{ name: "git", use: "work in repositories", fix: "Install git." }];

async function programs({ environment }: RunContext): Promise<Finding[]> {
  return PROGRAMS.map(({ name, use, fix }) => {
    const path = Bun.which(name, { PATH: environment.PATH ?? "" });
    if (path !== null) return { subject: name, state: "ok", text: path };
    return { subject: name, state: "warning", text: `not found; it is needed to ${use}`, fix };
  });
}

async function sandbox(context: RunContext): Promise<Finding[]> {
  const { mode, probe } = sandboxChoice(context);
  const subject = "sandbox";
  if (mode === "off") {
    const fix = "Remove `sandbox: off` from config.yml, or leave out --sandbox off.";
    return [{ subject, state: "warning", text: "off: commands run with all your rights", fix }];
  }
  const { type, reason } = await probe();
  if (type !== "none") return [{ subject, state: "ok", text: `commands run in it: ${reason}` }];
  return [{ subject, state: "warning", text: "none: commands run with all your rights", fix: reason }];
}

async function secrets(context: RunContext): Promise<Finding[]> {
  const path = `${context.paths.config}/models.yml`;
  const mode = await stat(path).then(
    (stats) => stats.mode,
    () => 0,
  );
  if ((mode & 0o077) === 0) return [];
  return [
    { subject: "models.yml", state: "warning", text: `${path} can be read by other users`, fix: `chmod 600 ${path}` },
  ];
}
