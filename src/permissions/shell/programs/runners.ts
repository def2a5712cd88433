import { type ProgramTable, rows } from "../program-table.ts";

// Programs that run another program named in their arguments and are not taken off like `timeout`: what they change about it
// (another user, folder, machine, terminal, a shell in between) is not checked, so they ask unless a rule spells the inner program out.

const RUNNER: ProgramTable = {
  effect: "code",
  options: "",
  lenient: true,
  operands: ["text"],
  runsCode: true,
  check: ({ words }) => [{ type: "runs-program", detail: `${words[0]?.text} runs what its arguments say` }],
};

export const RUNNERS: Readonly<Record<string, ProgramTable>> = rows(
  "ansible ansible-playbook watch parallel flock script chroot unshare nsenter strace ltrace chrt taskset setarch linux32 linux64 firejail bwrap systemd-run dbus-run-session entr setpriv capsh prlimit unbuffer rlwrap torsocks proxychains caffeinate numactl choom catchsegv run-parts start-stop-daemon at batch crontab screen tmux nodemon concurrently dotenv direnv cross-env faketime eatmydata ld.so xvfb-run perf valgrind hyperfine sshpass gtimeout gxargs genv open xdg-open",
  RUNNER,
);
