import type { SettingKey, SettingValues } from "./settings.ts";

export interface SettingRow<Key extends SettingKey> {
  default?: SettingValues[Key];
  /** The environment variable that sets it. */
  environment?: string;
  /** Where the key may stand in a project's file: a project never chooses addresses, keys or programs. */
  project: "allowed" | "never";
  description: string;
}

export const SETTING_ROWS: { [Key in SettingKey]: SettingRow<Key> } = {
  model: {
    environment: "RALPH_MODEL",
    project: "allowed",
    description: "the model to use: provider/id, an id, or a role",
  },
  effort: { environment: "RALPH_EFFORT", project: "allowed", description: "how hard the model thinks" },
  modelRoles: {
    default: {},
    project: "allowed",
    description: "which model plays default, executor, architect, planner, critic",
  },
  modelProviderOrder: {
    default: [],
    project: "allowed",
    description: "which provider is preferred where several offer a model",
  },
  enabledModels: {
    project: "allowed",
    description: "only these models can be chosen (patterns, optionally per folder)",
  },
  disabledProviders: {
    default: [],
    project: "allowed",
    description: "providers that are never used (optionally per folder)",
  },
  "modelProfile.default": { project: "allowed", description: "the model profile that is active from the start" },
  cacheRetention: {
    environment: "RALPH_CACHE_RETENTION",
    project: "allowed",
    description: "how long a provider keeps the prompt cache: none, short, long",
  },
  apiUrl: {
    environment: "RALPH_API_URL",
    project: "never",
    description: "one address for all requests; its host decides the provider",
  },
  "discovery.local": {
    default: true,
    project: "never",
    description: "look for Ollama, llama.cpp and LM Studio on this machine",
  },
  "retry.beforeFirstByte": {
    default: 3,
    project: "allowed",
    description: "retries of a request that brought no answer",
  },
  "retry.afterFirstByte": { default: 2, project: "allowed", description: "retries of an answer that broke off" },
  "retry.baseDelayMs": {
    default: 1000,
    environment: "RALPH_RETRY_DELAY_MS",
    project: "allowed",
    description: "the wait before the first retry",
  },
  "retry.factor": { default: 2, project: "allowed", description: "by how much each further wait grows" },
  "timeouts.connectSeconds": { default: 15, project: "allowed", description: "until a provider takes the connection" },
  "timeouts.idleSeconds": {
    default: 300,
    project: "allowed",
    description: "the longest silence inside a streamed answer",
  },
  "timeouts.wholeSeconds": {
    default: 1800,
    project: "allowed",
    description: "until an answer that is not streamed is there",
  },
};
