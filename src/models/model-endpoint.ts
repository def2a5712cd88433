import { providerRow } from "../llm/providers.ts";
import type { CacheRetention, Model } from "../protocol/models.ts";
import { type Environment, providerAddress } from "./provider-address.ts";

// What the environment says about a model that was chosen: where it is, what it is called there, how long to cache.

export type PlacedModel = { ok: true; model: Model } | { ok: false; message: string };

/** `region` is the AWS region requests will be signed for. */
export function placeModel(model: Model, environment: Environment, region?: string): PlacedModel {
  const address = addressOf(model, environment, region);
  if (!address.ok) return address;
  const placed: Model = { ...model, baseUrl: address.url };
  const deployment = model.api === "azure-openai-responses" ? deploymentOf(model.id, environment) : undefined;
  if (deployment !== undefined && model.wireModelId === undefined) placed.wireModelId = deployment;
  const retention = environment.RALPH_CACHE_RETENTION;
  if (model.cacheRetention === undefined && isRetention(retention)) placed.cacheRetention = retention;
  return { ok: true, model: placed };
}

/** `id=deployment` pairs, parted by commas. */
export function deploymentOf(modelId: string, environment: Environment): string | undefined {
  for (const pair of (environment.AZURE_OPENAI_DEPLOYMENT_NAME_MAP ?? "").split(",")) {
    const equals = pair.indexOf("=");
    const deployment = pair.slice(equals + 1).trim();
    if (equals > 0 && pair.slice(0, equals).trim() === modelId && deployment !== "") return deployment;
  }
  return undefined;
}

/** An address that models.yml gave stays, except that AWS hosts follow the region. */
function addressOf(
  model: Model,
  environment: Environment,
  region: string | undefined,
): ReturnType<typeof providerAddress> {
  const row = providerRow(model.provider);
  const variables = region === undefined ? environment : { ...environment, AWS_REGION: region };
  if (row !== undefined && model.baseUrl === row.baseUrl) return providerAddress(regional(row, environment), variables);
  if (region === undefined) return { ok: true, url: model.baseUrl };
  return { ok: true, url: model.baseUrl.replace(AWS_HOST, `$1${region}$2`) };
}

const AWS_HOST = /^(https:\/\/bedrock-runtime(?:-fips)?\.)[a-z0-9-]+(\.amazonaws\.)/;

/** Vertex has a host per location beside the global one. */
function regional(row: NonNullable<ReturnType<typeof providerRow>>, environment: Environment) {
  const location = environment.GOOGLE_CLOUD_LOCATION?.trim();
  if (row.id !== "google-vertex" || !location || location === "global") return row;
  return {
    ...row,
    baseUrl:
      "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google",
    addressParts: { ...row.addressParts, location: { variables: ["GOOGLE_CLOUD_LOCATION"] } },
  };
}

function isRetention(value: string | undefined): value is CacheRetention {
  return value === "none" || value === "short" || value === "long";
}
