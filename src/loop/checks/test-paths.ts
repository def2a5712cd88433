// What a path says about what a file is for, as tables.

/** Folders whose files are tests and what tests need. */
const TEST_FOLDERS = /(^|\/)(tests?|specs?|__tests__|__mocks__|__snapshots__|__fixtures__|testdata|e2e|cypress)\//i;

/** Names of test files in the languages that keep them beside the source. */
const TEST_NAMES = [
  /\.(test|tests|spec|specs|cy|e2e)\.[^./]+$/i,
  /[_-](test|tests|spec)\.[^./]+$/i,
  /^(test|tests|spec)\.[^./]+$/i,
  /^test[_-][^/]*\.[^./]+$/i,
  /^(conftest|tests?_helper|spec_helper)\.[^./]+$/i,
  /(Test|Tests|Spec|IT)\.(java|kt|kts|scala|groovy|cs|swift|php|m|mm)$/,
  /\.(snap|bats|feature)$/i,
];

/** Tests and what belongs to them. What is not a test is implementation. */
export function isTestPath(path: string): boolean {
  return TEST_FOLDERS.test(path) || TEST_NAMES.some((name) => name.test(nameOf(path)));
}

/** Folders and names of programs that judge rather than get judged. */
const CHECK_FOLDERS = /(^|\/)(scripts?|checks?|ci|acceptance|qa|verify|verification|\.github)\//i;
const CHECK_NAMES =
  /(^|[^a-z])(check|checks|verify|validate|accept|acceptance|smoke|assert|ci|lint|grade|judge)([^a-z]|$)/i;

/**
 * Whether a file a check names is part of the check and not what it checks: `sh verify.sh` against `node app.js`, `grep -q done
 * README.md`. Settings of test runners are part of the check too.
 */
export function belongsToCheck(path: string): boolean {
  return isTestPath(path) || CHECK_FOLDERS.test(path) || CHECK_NAMES.test(nameOf(path)) || isRunnerSetting(path);
}

const RUNNER_SETTINGS = [
  /^(jest|vitest|playwright|cypress|karma|ava|wdio|nightwatch|testcafe|babel|vite)\.config\.[^/]+$/i,
  /^\.(mocharc|nycrc|taprc|c8rc)(\.[^/]+)?$/i,
  /^(bunfig\.toml|pytest\.ini|tox\.ini|setup\.cfg|phpunit\.xml(\.dist)?|\.rspec|noxfile\.py|sitecustomize\.py|usercustomize\.py)$/i,
];

/** Files that decide what a test runner runs and loads. */
export function isRunnerSetting(path: string): boolean {
  return RUNNER_SETTINGS.some((name) => name.test(nameOf(path)));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
