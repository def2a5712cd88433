import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject, asString } from "../protocol/json.ts";
import type { Credential } from "../protocol/models.ts";
import { parseIni } from "./ini-file.ts";
import type { Environment } from "./provider-address.ts";

// The AWS credential chain, as far as it needs no network: a bearer token, static variables, and the profiles of ~/.aws.

/** Runs a program and returns what it printed. Given in, because programs are started at the edge. */
export type RunCommand = (argv: string[]) => Promise<{ ok: true; stdout: string } | { ok: false; message: string }>;

export interface AwsSources {
  environment: Environment;
  home: string;
  /** The address requests go to; its region counts where nothing else names one. */
  baseUrl: string;
  run?: RunCommand;
}

export type AwsResult =
  | { ok: true; credential: Credential; region: string; from: string }
  | { ok: false; message: string };

export const AWS_VARIABLES = ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"];
const DEFAULT_REGION = "us-east-1";
const MAX_FILE_BYTES = 1_048_576;

export async function findAwsCredential(sources: AwsSources): Promise<AwsResult> {
  const { environment, baseUrl } = sources;
  const profile = await readProfile(sources);
  const region = regionOf(environment, profile.settings.get("region"), baseUrl);
  const token = value(environment, "AWS_BEARER_TOKEN_BEDROCK");
  if (token !== undefined)
    return { ok: true, credential: { type: "bearer", token }, region, from: "AWS_BEARER_TOKEN_BEDROCK" };
  const keys = environmentKeys(environment);
  if (keys !== undefined)
    return { ok: true, credential: { type: "aws", ...keys, region }, region, from: "AWS_ACCESS_KEY_ID" };
  return profileCredential(profile, region, sources);
}

/** Whether there is anything to try, without reading it. */
export function awsMayHaveCredential({ environment, home }: Pick<AwsSources, "environment" | "home">): boolean {
  if (value(environment, "AWS_BEARER_TOKEN_BEDROCK") !== undefined || environmentKeys(environment) !== undefined)
    return true;
  return Object.values(awsFiles(environment, home)).some((path) => existsSync(path));
}

type Keys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

interface Profile {
  name: string;
  exists: boolean;
  settings: ReadonlyMap<string, string>;
}

function environmentKeys(environment: Environment): Keys | undefined {
  return keysFrom({
    accessKeyId: value(environment, "AWS_ACCESS_KEY_ID"),
    secretAccessKey: value(environment, "AWS_SECRET_ACCESS_KEY"),
    sessionToken: value(environment, "AWS_SESSION_TOKEN"),
  });
}

async function profileCredential(profile: Profile, region: string, { run }: AwsSources): Promise<AwsResult> {
  const { name, settings } = profile;
  if (!profile.exists) return { ok: false, message: noCredential(name) };
  const keys = keysFrom({
    accessKeyId: settings.get("aws_access_key_id"),
    secretAccessKey: settings.get("aws_secret_access_key"),
    sessionToken: settings.get("aws_session_token"),
  });
  const from = `the AWS profile ${name}`;
  if (keys !== undefined) return { ok: true, credential: { type: "aws", ...keys, region }, region, from };
  const command = settings.get("credential_process");
  if (command === undefined) return { ok: false, message: unusableProfile(profile) };
  const made = await runCredentialProcess(command, run);
  if (typeof made === "string") return { ok: false, message: `credential_process of the AWS profile ${name} ${made}` };
  return { ok: true, credential: { type: "aws", ...made, region }, region, from };
}

/** The keys, or the rest of a sentence that says why there are none. */
async function runCredentialProcess(command: string, run: RunCommand | undefined): Promise<Keys | string> {
  if (run === undefined) return "cannot be run here.";
  const printed = await run(splitCommand(command));
  if (!printed.ok) return `failed: ${printed.message}`;
  const answer = parsedObject(printed.stdout);
  const keys = keysFrom({
    accessKeyId: asString(answer?.AccessKeyId),
    secretAccessKey: asString(answer?.SecretAccessKey),
    sessionToken: asString(answer?.SessionToken),
  });
  return keys ?? "printed no AccessKeyId and SecretAccessKey.";
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Words are parted by spaces; double quotes keep a word together. */
export function splitCommand(command: string): string[] {
  const words = command.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ""));
}

async function readProfile({ environment, home }: AwsSources): Promise<Profile> {
  const name = value(environment, "AWS_PROFILE") ?? value(environment, "AWS_DEFAULT_PROFILE") ?? "default";
  const files = awsFiles(environment, home);
  const credentials = (await readIni(files.credentials)).get(name);
  const config = await readIni(files.config);
  const section = config.get(`profile ${name}`) ?? (name === "default" ? config.get("default") : undefined);
  const settings = new Map([...(section ?? []), ...(credentials ?? [])]);
  return { name, exists: credentials !== undefined || section !== undefined, settings };
}

async function readIni(path: string): Promise<Map<string, Map<string, string>>> {
  if (!existsSync(path)) return new Map();
  const { readTextFile } = await import("../system/text-file.ts");
  const read = readTextFile(path, { maxBytes: MAX_FILE_BYTES });
  return read.ok ? parseIni(read.text) : new Map();
}

function awsFiles(environment: Environment, home: string): { credentials: string; config: string } {
  return {
    credentials: value(environment, "AWS_SHARED_CREDENTIALS_FILE") ?? join(home, ".aws", "credentials"),
    config: value(environment, "AWS_CONFIG_FILE") ?? join(home, ".aws", "config"),
  };
}

function regionOf(environment: Environment, profile: string | undefined, baseUrl: string): string {
  const named = value(environment, "AWS_REGION") ?? value(environment, "AWS_DEFAULT_REGION") ?? profile;
  const inAddress = /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\./.exec(baseUrl)?.[1];
  return (
    [named, inAddress].find((region) => region !== undefined && /^[a-z0-9-]{1,40}$/.test(region)) ?? DEFAULT_REGION
  );
}

function keysFrom({ accessKeyId, secretAccessKey, sessionToken }: Partial<Keys>): Keys | undefined {
  if (!accessKeyId || !secretAccessKey) return undefined;
  return sessionToken ? { accessKeyId, secretAccessKey, sessionToken } : { accessKeyId, secretAccessKey };
}

function value(environment: Environment, name: string): string | undefined {
  const found = environment[name]?.trim();
  return found === "" ? undefined : found;
}

function noCredential(profile: string): string {
  return `No AWS credentials: ~/.aws has no profile "${profile}". Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`;
}

function unusableProfile({ name, settings }: Profile): string {
  const indirect = ["sso_session", "sso_start_url", "role_arn"].find((key) => settings.has(key));
  if (indirect === undefined)
    return `The AWS profile "${name}" holds no keys. Add aws_access_key_id and aws_secret_access_key to it.`;
  return `The AWS profile "${name}" uses ${indirect}, which Ralph does not follow. Add to it: credential_process = aws configure export-credentials --profile ${name}`;
}
