// Why a command may have failed inside the sandbox. Said only where the words of the system leave little doubt.

export interface HintContext {
  network: boolean;
  workspace: string;
}

interface HintRow {
  shows: RegExp;
  applies: (context: HintContext) => boolean;
  hint: (context: HintContext) => string;
}

/** The last lines say why a program gave up. */
const LOOKED_AT = 4000;

/** Of the output of a command that failed. Undefined where the sandbox is not the likely reason. */
export function sandboxHint(output: string, context: HintContext): string | undefined {
  const end = output.slice(-LOOKED_AT);
  return ROWS.find(({ shows, applies }) => applies(context) && shows.test(end))?.hint(context);
}

const OFF = 'Ask for more with needs: "unsandboxed" where nothing else will do.';
const always = () => true;

const ROWS: readonly HintRow[] = [
  {
    shows: /^bwrap: /m,
    applies: always,
    hint: () =>
      "The sandbox itself could not be set up, so the command did not run. Run `ralph doctor`, or set `sandbox: off`.",
  },
  {
    shows: /sandbox-exec: /,
    applies: always,
    hint: () =>
      "The sandbox itself could not be set up, so the command did not run. Run `ralph doctor`, or set `sandbox: off`.",
  },
  {
    shows:
      /\.git(\/(config|hooks|modules|worktrees)\b[^\n]*)?[^\n]*(Read-only file system|Device or resource busy|File exists|Operation not permitted)/i,
    applies: always,
    hint: () =>
      `In the sandbox git can commit, but not make a repository or change .git/config, hooks, submodules or other work trees. ${OFF}`,
  },
  {
    shows: /Read-only file system|\bEROFS\b/i,
    applies: always,
    hint: ({ workspace }) =>
      `In the sandbox a command writes only in ${workspace} and /tmp, and there not to protected names such as .git/hooks or .vscode. ${OFF}`,
  },
  {
    shows:
      /Could not resolve host|Temporary failure in name resolution|Network is unreachable|\bENETUNREACH\b|\bEAI_AGAIN\b|getaddrinfo ENOTFOUND|dial tcp: lookup [^\n]*(no such host|connection refused|network is unreachable)|Name or service not known|nodename nor servname/i,
    applies: ({ network }) => !network,
    hint: () => 'In the sandbox there is no network unless it was granted. Ask for it with needs: "network".',
  },
  {
    shows:
      /(127\.0\.0\.1|localhost|::1)[^\n]*(Connection refused|ECONNREFUSED|Could not connect|Failed to connect)|(Connection refused|ECONNREFUSED|Could not connect|Failed to connect)[^\n]*(127\.0\.0\.1|localhost|::1)/i,
    applies: ({ network }) => !network,
    hint: () =>
      'In the sandbox every command has a loopback network of its own: servers of this machine and of other commands are out of reach. Start the server in the same command, or ask for the network with needs: "network".',
  },
  {
    shows:
      /Permission denied \(publickey|Host key verification failed|could not read (Username|Password) for|terminal prompts disabled/i,
    applies: always,
    hint: () => `In the sandbox the person's keys and passwords are out of reach. ${OFF}`,
  },
  {
    shows: /fork: (retry: )?Resource temporarily unavailable|pthread_create[^\n]*Resource temporarily unavailable/i,
    applies: always,
    hint: () => "In the sandbox the number of processes of one command is limited. Run it with fewer workers.",
  },
  {
    shows:
      /docker(\.sock| daemon)[^\n]*(Cannot connect|no such file|not permitted)|Cannot connect to the Docker daemon/i,
    applies: always,
    hint: () => `In the sandbox Docker and other services of this machine are out of reach. ${OFF}`,
  },
];
