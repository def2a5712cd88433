/** The environment of a command: that of the person, without keys and without what would change how a shell reads the command. */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const kept = Object.entries(environment).filter(([name]) => !SECRET_NAME.test(name) && !CHANGES_THE_SHELL.test(name));
  return { ...Object.fromEntries(kept), ...NOBODY_IS_WATCHING };
}

const SECRET_NAME =
  /(^|_)(API_?KEY|KEY|KEY_ID|TOKEN|SECRET|SECRET_KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE)(_BASE64)?$/i;

/** A shell reads start-up files, options and whole functions from these, so that the command would mean something else. */
const CHANGES_THE_SHELL = /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|IFS|PS4|PROMPT_COMMAND|BASH_FUNC_.*)$/;

/** Programs write plainly and never wait for a person. `CI` stays as it is: it changes what test runners do. */
const NOBODY_IS_WATCHING = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};
