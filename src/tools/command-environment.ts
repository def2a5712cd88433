import { isSecretVariable } from "../system/secret-names.ts";

/**
 * The environment of a command. Only what is listed here is handed on, and what the person added (`shell.environment`): an exact
 * name, or one that ends in `*`. A variable whose name says that it holds a secret, or whose value holds a password, is only
 * handed on where the person named it exactly.
 */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  added: readonly string[] = NONE,
): Readonly<Record<string, string | undefined>> {
  const known = MADE.get(environment);
  if (known?.added === added) return known.made;
  const made = makeEnvironment(environment, added);
  MADE.set(environment, { added, made });
  return made;
}

const NONE: readonly string[] = [];

/** Every command of a session gets the same. */
const MADE = new WeakMap<object, { added: readonly string[]; made: Readonly<Record<string, string | undefined>> }>();

function makeEnvironment(environment: Readonly<Record<string, string | undefined>>, added: readonly string[]) {
  const prefixes = [...PREFIXES, ...added.flatMap((name) => (name.endsWith("*") ? [name.slice(0, -1)] : []))];
  const isHandedOn = (name: string, value: string) => {
    if (added.includes(name)) return true;
    if (isSecretVariable(name) || HOLDS_PASSWORD.test(value) || CHANGES_PROGRAMS.test(name)) return false;
    return NAMES.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  };
  const kept = Object.entries(environment).filter(([name, value]) => value !== undefined && isHandedOn(name, value));
  return { ...Object.fromEntries(kept), ...NOBODY_IS_WATCHING };
}

/** An address with a name and a password in it, as proxies have. */
const HOLDS_PASSWORD = /:\/\/[^/\s]*:[^/\s]*@/;

/** Programs read code, options or other programs from these, so no pattern hands them on, only their exact names. */
const CHANGES_PROGRAMS =
  /^(?:LD_.*|DYLD_.*|.*_(?:OPTIONS|OPTS|PRELOAD|COMMAND|EDITOR|ASKPASS|STARTUP)|BASH_.*|ENV|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|IFS|PS4|PROMPT_COMMAND|ZDOTDIR|EDITOR|VISUAL|PYTHON.*|PERL5.*|RUBY(?:OPT|LIB)|GIT_.*|MAKEFLAGS|CLASSPATH|GCONV_PATH|NODE_PATH)$/;

const PREFIXES = ["LC_", "XDG_"];

const NAMES: ReadonlySet<string> = new Set(
  [
    // Who and where.
    "PATH HOME USER LOGNAME SHELL HOSTNAME LANG LANGUAGE TZ TMPDIR TMP TEMP NO_COLOR CI NODE_ENV RALPH_RUN_ID RALPH_SESSION",
    // How to reach the network, and whom to believe there.
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy",
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NIX_SSL_CERT_FILE",
    // Where the tools of languages lie.
    "NVM_DIR NVM_BIN FNM_DIR FNM_MULTISHELL_PATH VOLTA_HOME N_PREFIX PNPM_HOME BUN_INSTALL DENO_DIR DENO_INSTALL COREPACK_HOME",
    "VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYENV_ROOT PYENV_VERSION PIPX_HOME PIP_CACHE_DIR POETRY_HOME UV_CACHE_DIR",
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN",
    "JAVA_HOME JDK_HOME GRADLE_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME ANT_HOME KOTLIN_HOME SCALA_HOME SDKMAN_DIR",
    "ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME FLUTTER_ROOT PUB_CACHE DOTNET_ROOT NUGET_PACKAGES",
    "RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH rvm_path COMPOSER_HOME MIX_HOME HEX_HOME",
    "OPAMROOT OPAM_SWITCH_PREFIX GHCUP_INSTALL_BASE_PREFIX STACK_ROOT CABAL_DIR JULIA_DEPOT_PATH R_HOME",
    "ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR MISE_CONFIG_DIR NIX_PROFILES HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY",
    "CMAKE_PREFIX_PATH PKG_CONFIG_PATH SDKROOT DEVELOPER_DIR CUDA_HOME",
    // What Windows itself needs.
    "SystemRoot SYSTEMROOT SystemDrive WINDIR windir COMSPEC ComSpec PATHEXT Path USERPROFILE USERNAME APPDATA LOCALAPPDATA",
    "ProgramFiles ProgramData HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS",
  ].flatMap((names) => names.split(" ")),
);

/** Programs write plainly and never wait for a person. `CI` stays as it is: it changes what test runners do. */
const NOBODY_IS_WATCHING = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};
