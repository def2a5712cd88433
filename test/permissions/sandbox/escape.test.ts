import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { listProcesses } from "../../../src/system/process-table.ts";
import { sandboxed as openSandboxed, type Sandboxed, sandboxHere, skipReason } from "../../support/sandboxed.ts";

// Real attempts to get out, in the sandbox of this machine, one that waited for its command.

const sandboxed = (writable?: Parameters<typeof openSandboxed>[0]) => openSandboxed(writable, { isMadeAhead: true });

describe.skipIf(sandboxHere.type !== "bubblewrap")(`a sandboxed command${skipReason}`, () => {
  test("writes in the workspace and in a temporary folder of its own", async () => {
    await using box = sandboxed();
    const { outcome, stdout, stderr } = await box.run(
      "echo one > made.txt; echo two > /tmp/made.txt; cat made.txt /tmp/made.txt",
    );
    expect({ outcome, stdout, stderr }).toEqual({
      outcome: { type: "exited", code: 0 },
      stdout: "one\ntwo\n",
      stderr: "",
    });
    expect(box.read("project/made.txt")).toBe("one\n");
    expect(existsSync("/tmp/made.txt")).toBe(false);
  });

  test("changes nothing outside of the workspace", async () => {
    await using box = sandboxed();
    box.write("user/.bashrc", "old\n");
    box.write("user/elsewhere/other/file.txt", "old\n");
    await box.run(
      "echo evil >> ~/.bashrc; echo evil > ~/new; rm -rf ~/work; mkdir ~/.config/x; touch /etc/evil /usr/local/bin/evil",
    );
    await box.run(
      'cd ..; echo evil > up.txt; ln -s "$HOME/.bashrc" project/link; echo evil >> project/link; mv project elsewhere',
    );
    await box.run(
      'ln ~/.bashrc hard && echo evil >> hard; cp --remove-destination project/link ~/.bashrc; dd if=/dev/zero of="$HOME/.bashrc"',
    );
    expect(box.find("user/**").filter((path) => !path.includes("ralph"))).toEqual([
      "user/.bashrc",
      "user/elsewhere/other/file.txt",
    ]);
    expect([box.read("user/.bashrc"), box.read("user/elsewhere/other/file.txt")]).toEqual(["old\n", "old\n"]);
    expect(["/etc/evil", "/usr/local/bin/evil", join(box.root, "up.txt")].filter(existsSync)).toEqual([]);
    expect(box.names()).toEqual([...HELD, "link"].sort());
  });

  const NAMES = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".vscode/tasks.json",
    ".mcp.json",
    ".claude/settings.json",
    ".ralph/config.yml",
  ];

  test.each(NAMES)("neither changes nor replaces %s where it exists", async (name) => {
    await using box = sandboxed();
    repository(box);
    const path = join(box.project, name);
    box.write(`project/${name}`, "old\n");
    const top = name.split("/")[0];
    for (const script of attacks(name, top ?? name)) await box.run(script);
    expect(readFileSync(path, "utf8")).toBe("old\n");
    expect(box.find("project/*.moved/**")).toEqual([]);
  });

  test.each(NAMES)("does not make %s where it is missing", async (name) => {
    await using box = sandboxed();
    const top = name.split("/")[0];
    for (const script of attacks(name, top ?? name)) await box.run(script);
    await box.sandbox.close();
    expect(box.names().filter((made) => made !== "staged" && !made.startsWith("staged/"))).toEqual([]);
  });

  test("does not make hooks in a repository without a folder for them", async () => {
    await using box = sandboxed();
    repository(box);
    Bun.spawnSync(["rm", "-rf", join(box.project, ".git/hooks")]);
    const { outcome } = await box.run("mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit");
    expect(outcome).toEqual({ type: "exited", code: 1 });
    await box.sandbox.close();
    expect(existsSync(join(box.project, ".git/hooks"))).toBe(false);
  });

  test("guards the folder of hooks and the files that the configuration of the repository names", async () => {
    await using box = sandboxed();
    repository(box);
    box.write("project/scripts/hooks/pre-commit", "old\n");
    box.write("project/extra.config", "old\n");
    const configuration = "[core]\n\thooksPath = scripts/hooks\n[include]\n\tpath = ../extra.config\n";
    box.write("project/.git/config", configuration);
    await box.run("echo evil > scripts/hooks/pre-commit; echo evil > extra.config");
    expect([box.read("project/scripts/hooks/pre-commit"), box.read("project/extra.config")]).toEqual([
      "old\n",
      "old\n",
    ]);
  });

  test("gets no folder outside through links a project brought along", async () => {
    await using box = sandboxed();
    Bun.spawnSync(["git", "init", "-q", join(box.userHome, "dotfiles")], { env: box.environment });
    symlinkSync(join(box.userHome, "dotfiles/.git"), join(box.project, ".git"));
    box.write("user/keys/one", "old\n");
    symlinkSync(join(box.userHome, "keys"), join(box.project, ".vscode"));
    const { stdout } = await box.run(
      "echo evil > .git/evil; echo evil > .git/index; echo evil > .vscode/one; touch .vscode/two; echo ran",
    );
    expect(stdout).toBe("ran\n");
    expect([...box.find("user/keys/*"), ...box.find("user/dotfiles/.git/{evil,index}")]).toEqual(["user/keys/one"]);
    expect(box.read("user/keys/one")).toBe("old\n");
  });

  test("does not exchange a link that stands for the hooks", async () => {
    await using box = sandboxed();
    repository(box);
    Bun.spawnSync(["rm", "-rf", join(box.project, ".git/hooks")]);
    box.write("project/shared-hooks/pre-commit", "old\n");
    symlinkSync("../shared-hooks", join(box.project, ".git/hooks"));
    const { outcome } = await box.run("rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-push");
    expect(outcome).toEqual({ type: "exited", code: 1 });
    expect(box.find("project/shared-hooks/*")).toEqual(["project/shared-hooks/pre-commit"]);
  });

  test("commits in a repository inside the workspace, but does not change its configuration", async () => {
    await using box = sandboxed();
    box.write("user/.gitconfig", "[user]\n\tname = Somebody\n\temail = somebody@example.org\n");
    Bun.spawnSync(["git", "init", "-q", join(box.project, "sub")], { env: box.environment });
    const before = box.read("project/sub/.git/config");
    const { stdout } = await box.run(
      "cd sub; echo evil >> .git/config; git commit -q --allow-empty -m one; git log --format=%s",
    );
    expect([stdout, box.read("project/sub/.git/config")]).toEqual(["one\n", before]);
  });

  test("inherits no open file but its three streams", async () => {
    await using box = sandboxed();
    expect((await box.run("ls /proc/$$/fd; true")).stdout).toBe("0\n1\n2\n");
  });

  test("says what it made in deeper folders that others will obey", async () => {
    await using box = sandboxed();
    repository(box);
    box.write("project/conf/tasks.json", "{}");
    box.write("project/sub/.idea/a.xml", "old");
    symlinkSync("conf", join(box.project, ".vscode"));
    const { made } = await box.run(
      "mkdir -p new/.vscode; mv sub other; mkdir -p sub/.idea; rm .vscode; mkdir .vscode; echo ../evil > .git/commondir; touch x.code-workspace",
    );
    expect(made.sort()).toEqual([
      ".git/commondir: git takes its configuration from another place because of it",
      ".vscode: an editor runs what stands there",
      "new/.vscode: an editor runs what stands there",
      "other/.idea: an editor runs what stands there",
      "sub/.idea: an editor runs what stands there",
      "x.code-workspace: an editor runs what stands there",
    ]);
  });

  test("says that it made the workspace a bare repository", async () => {
    await using box = sandboxed();
    const { made } = await box.run(
      "mkdir -p objects refs; echo ref: refs/heads/main > HEAD; printf '[core]\\n\\tbare = true\\n' > config",
    );
    expect(made).toEqual(["HEAD: git takes its configuration from another place because of it"]);
  });

  test("sees no secret of the person, of the project or of Ralph", async () => {
    await using box = sandboxed();
    const places = [
      "user/.ssh/id_ed25519",
      "user/.aws/credentials",
      "user/.gnupg/private-keys-v1.d/key",
      "user/.netrc",
      "user/.npmrc",
      "user/.config/gh/hosts.yml",
      "user/.cargo/credentials.toml",
      "user/.mozilla/firefox/logins.json",
      "user/.config/BraveSoftware/Login Data",
      "user/.config/ralph/models.yml",
      "user/.config/ralph/config.yml",
      "user/.local/share/ralph/credentials.db",
      "user/.local/share/ralph/sessions/one.jsonl",
      "project/.env",
      "project/deep/.env.local",
    ];
    for (const place of places) box.write(place, "TOP-SECRET\n");
    mkdirSync(join(box.root, "elsewhere"));
    box.write("elsewhere/token", "TOP-SECRET\n");
    symlinkSync(join(box.root, "elsewhere/token"), join(box.userHome, ".vault-token"));
    const readable = [
      "user/.gitconfig",
      "user/.local/share/ralph/artifacts/out.txt",
      "project/.npmrc",
      "project/certs/key.pem",
      "project/.env.example",
    ];
    for (const place of readable) box.write(place, `may be read: ${place}\n`);
    const files = [...places, "user/.vault-token", "elsewhere/token"]
      .map((place) => `'${join(box.root, place)}'`)
      .join(" ");
    const secret = await box.run(`cat ${files}; cat /etc/shadow; grep -rs TOP-SECRET ~ . /tmp; ls -A ~/.ssh ~/.aws`);
    const open = await box.run(`cat ${readable.map((place) => `'${join(box.root, place)}'`).join(" ")}`);
    expect(secret.stdout).not.toContain("TOP-SECRET");
    expect(secret.stdout).not.toContain("root:");
    expect(open).toMatchObject({ stdout: readable.map((place) => `may be read: ${place}\n`).join(""), stderr: "" });
  });

  test("reaches no server of this machine and none outside, unless the network was granted", async () => {
    await using box = sandboxed();
    using server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.end("reached\n"), data() {} },
    });
    const inside = `cat < /dev/tcp/127.0.0.1/${server.port}`;
    const outside = "exec 3<> /dev/tcp/192.0.2.1/80";
    const denied = [await box.run(inside), await box.run(outside)];
    expect(denied.map(({ outcome }) => outcome)).toEqual([
      { type: "exited", code: 1 },
      { type: "exited", code: 1 },
    ]);
    expect(denied[1]?.stderr).toContain("Network is unreachable");
    expect((await box.run(inside, { network: true })).stdout).toBe("reached\n");
  });

  test("sees none of the sockets and addresses through which programs outside take orders", async () => {
    await using box = sandboxed();
    const { stdout } = await box.run("ls -A /run; env | grep -E 'SSH_AUTH_SOCK|DBUS|DOCKER_HOST|XDG_RUNTIME_DIR'");
    expect(stdout).toBe("");
  });

  test("has no rights, cannot get any, and cannot mount", async () => {
    await using box = sandboxed();
    box.write("project/.vscode/tasks.json", "old\n");
    const { stdout } = await box.run(
      "grep -E '^(CapPrm|CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -s '\\t' ' '",
    );
    expect(stdout).toBe(
      "CapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\n",
    );
    for (const command of [
      "mount -o remount,rw /",
      "umount .vscode",
      "umount -l .vscode",
      "mount --bind /tmp .vscode",
      "mkdir m; mount --bind . m",
      "mount -t tmpfs none .vscode",
      "unshare -Urm true",
      "unshare -m true",
      "nsenter -t 1 -m true",
      "chroot / true",
      "mknod disk b 254 0",
      "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
      "test -w /proc/sysrq-trigger && test -w /sys/kernel/uevent_helper",
    ]) {
      expect({ command, isFine: (await box.run(command)).outcome }).not.toEqual({
        command,
        isFine: { type: "exited", code: 0 },
      });
    }
    await box.run(
      "echo evil > /proc/1/root/$PWD/.vscode/tasks.json; echo evil > /proc/1/cwd/.vscode/tasks.json; echo evil > /proc/1/root/etc/evil",
    );
    expect([box.read("project/.vscode/tasks.json"), existsSync("/etc/evil")]).toEqual(["old\n", false]);
  });

  test("runs no program with the rights of its owner", async () => {
    await using box = sandboxed();
    const { stdout } = await box.run(
      "for m in / $PWD /tmp; do findmnt -no OPTIONS -T $m | tr , '\\n' | grep -x nosuid; done",
    );
    expect(stdout).toBe("nosuid\nnosuid\nnosuid\n");
  });

  test("sees, signals and traces no process but its own", async () => {
    await using box = sandboxed();
    const victim = Bun.spawn(["sleep", "30"]);
    const command = `kill -9 ${process.pid} ${victim.pid}; kill -9 -- -${process.pid}; ls /proc | grep -cE '^[0-9]+$'; test -e /proc/${victim.pid} && echo seen; strace -p ${process.pid}`;
    const { stdout } = await box.run(command);
    expect(Number(stdout)).toBeLessThan(10);
    expect(victim.exitCode).toBeNull();
    victim.kill();
    await victim.exited;
  });

  test("leaves no process behind, however it hides it", async () => {
    await using box = sandboxed();
    const mark = `7${process.pid}.5`;
    const { outcome, stdout, survivors } = await box.run(
      `(setsid sleep ${mark} >/dev/null 2>&1 &); nohup sleep ${mark} >/dev/null 2>&1 & (env -i setsid bash -c 'trap "" TERM HUP; sleep ${mark}' >/dev/null 2>&1 &) ; disown -a; echo done`,
    );
    // Whether they had to be ended or were gone with the command is a matter of milliseconds.
    expect({ outcome, stdout, survivors }).toEqual({
      outcome: { type: "exited", code: 0 },
      stdout: "done\n",
      survivors: [],
    });
    expect(processesWith(mark)).toEqual([]);
  });

  test("is ended with everything it started when its time is up or somebody stops it", async () => {
    await using box = sandboxed();
    const mark = `8${process.pid}.5`;
    const stubborn = `trap "" TERM HUP INT; (setsid sleep ${mark} &); echo started; while :; do sleep ${mark}; done`;
    const late = await box.run(stubborn, { deadlineMs: 400 });
    const stopping = new AbortController();
    const stopped = await box.run(stubborn, { signal: stopping.signal, onOutput: () => stopping.abort() });
    expect([late, stopped].map(({ outcome, survivors }) => ({ outcome, survivors }))).toEqual([
      { outcome: { type: "timed-out", afterMs: 400 }, survivors: [] },
      { outcome: { type: "aborted" }, survivors: [] },
    ]);
    expect(processesWith(mark)).toEqual([]);
  });
});

const HELD = [".claude", ".codex", ".cursor", ".gemini", ".git", ".idea", ".mcp.json", ".ralph", ".vscode"];

function repository(box: Sandboxed): void {
  Bun.spawnSync(["git", "init", "-q", box.project], { env: box.environment });
}

/** Every way to get content under a name: written, put there, linked, and the folder above exchanged. */
function attacks(name: string, top: string): string[] {
  const commands = [
    `echo evil > ${name}; echo evil >> ${name}; chmod 777 ${name}; truncate -s 0 ${name}`,
    `mkdir -p "$(dirname ${name})"; echo evil > ${name}`,
    `mkdir -p "staged/$(dirname ${name})"; echo evil > staged/${name}; mv -T staged/${top} ${top}; cp -rT staged/${top} ${top}; ln -sfn staged/${top} ${top}`,
    `ln ${name} hard.moved && echo evil > hard.moved`,
    `ln -s ${name} soft.moved && echo evil > soft.moved; rm -f soft.moved`,
    `perl -e 'rename "staged/${top}", "${top}"; symlink "staged", "${top}"; link "staged/${name}", "${name}"'`,
    `cd / && echo evil > "$OLDPWD/${name}"`,
    `mv ${top} ${top}.moved; mkdir -p "$(dirname ${name})"; echo evil > ${name}`,
    `rm -rf ${top}; unlink ${top}; rmdir ${top}; mkdir -p "$(dirname ${name})"; echo evil > ${name}`,
    "rm -rf staged",
  ];
  const script = commands.map((command) => `( ${command} )`).join("\n");
  // Twice: the first round may have prepared the second.
  return [script, script];
}

function processesWith(mark: string): number[] {
  return listProcesses().flatMap(({ pid }) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes(mark) && words.includes("sleep") ? [pid] : [];
    } catch {
      return [];
    }
  });
}
