// Variables a command may be given without changing what it runs. An allow-list: every program has its own ways to be led astray.

const NAMES =
  "CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES TZ LANG LANGUAGE NODE_ENV RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PORT DEBUG LOG_LEVEL VERBOSE GIT_TERMINAL_PROMPT HUSKY NEXT_TELEMETRY_DISABLED DO_NOT_TRACK ASTRO_TELEMETRY_DISABLED GOOS GOARCH CGO_ENABLED RAILS_ENV RACK_ENV APP_ENV MIX_ENV FLASK_ENV TEST_TIMEOUT JEST_WORKERS VITEST UPDATE_SNAPSHOTS RALPH_FUZZ_CASES SKIP_BUILD DJANGO_DEBUG";
const HARMLESS = new Set(NAMES.split(" "));

export function isHarmlessAssignment(name: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  if ((name === "PAGER" || name === "GIT_PAGER") && (value === "cat" || value === "")) return true;
  if (!HARMLESS.has(name) && !/^LC_[A-Z]+$/.test(name)) return false;
  if (name === "TZ") return /^[A-Za-z0-9_+-]+(\/[A-Za-z_]+)*$/.test(value);
  if (/^(LANG|LANGUAGE|TERM|LC_.*)$/.test(name)) return /^[A-Za-z0-9_@:-]*(\.[A-Za-z0-9-]+)?$/.test(value);
  return /^[\w.,:@%+*=/ -]*$/.test(value);
}
