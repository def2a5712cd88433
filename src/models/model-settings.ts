// The settings that decide about models, as config.yml holds them.

/** A plain entry counts everywhere; an object only inside its folders. */
export type ScopedEntry = string | ScopedList;

/** The folders stand under any of the four path keys, the entries under `values` or the setting's own name. */
export interface ScopedList {
  path?: string;
  paths?: string[];
  pathPrefix?: string;
  pathPrefixes?: string[];
  models?: string[];
  providers?: string[];
  values?: string[];
}

export interface ModelSettings {
  /** Role or tier to selector: default, executor, architect, planner, critic, simple, standard, high. */
  modelRoles?: Record<string, string>;
  /** The name of a profile that is activated at every start. */
  modelProfile?: string;
  enabledModels?: ScopedEntry[];
  disabledProviders?: ScopedEntry[];
  /** Which provider is preferred where several offer the same model. */
  modelProviderOrder?: string[];
}

/** The same after scoping: what holds in one working directory. */
export interface ModelScope {
  /** Empty where every model is enabled. */
  enabledModels: string[];
  disabledProviders: string[];
  modelProviderOrder: string[];
}
