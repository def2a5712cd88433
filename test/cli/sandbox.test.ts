import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, at } from "../../src/protocol/json.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { sandboxHere, skipReason } from "../support/sandboxed.ts";

const shell = (command: string, more: Record<string, unknown> = {}) =>
  toolCallAnswer({ name: "shell", input: { command, ...more } });

/** The project's own code: `make` runs this program of node. */
function projectProgram({ workspace }: FrontDoor, program: string): void {
  workspace.write("project/Makefile", "all:\n\t@node program.js\nnet:\n\t@node program.js net\n");
  workspace.write("project/program.js", program);
}

/** Something on this machine a command may reach, or not. */
function server(): { address: string; [Symbol.dispose](): void } {
  const served = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("reached\n") });
  return { address: served.url.href, [Symbol.dispose]: () => void served.stop(true) };
}

const SLOW_MS = 30_000;

/** What the model was told of its last calls. */
function results({ provider }: FrontDoor): string[] {
  const last = asArray(at(provider.requests.at(-1)?.body, "messages")).at(-1);
  return asArray(at(last, "content")).flatMap((part) => {
    const { type, content } = asObject(part) ?? {};
    if (type !== "tool_result") return [];
    return [typeof content === "string" ? content : String(at(asArray(content)[0], "text"))];
  });
}

/** Ends what a test that failed would leave running. */
function endsAll(mark: string): Disposable {
  return {
    [Symbol.dispose]() {
      for (const pid of running(mark)) if (Number(pid) !== process.pid) process.kill(Number(pid), "SIGKILL");
    },
  };
}

/** Marks of processes of this session, wherever they run. */
function running(mark: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}

describe.skipIf(sandboxHere.type !== "bubblewrap")(`commands of ralph -p${skipReason}`, () => {
  test(
    "run the project's own code without a question, and leave nothing but what it made",
    async () => {
      using ralph = await openFrontDoor();
      const program = "require('fs').writeFileSync('made.txt', 'made'); console.log('tested')";
      ralph.workspace.write("project/package.json", JSON.stringify({ scripts: { test: "node test.js" } }));
      ralph.workspace.write("project/test.js", program);
      const look = toolCallAnswer({ name: "list_dir", input: { include_hidden: true } });
      ralph.provider.answer(shell("npm test --silent"), look, textAnswer("ok"));
      const { code, stderr } = await ralph.run(["-p", "go"]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.stringify(ralph.provider.requests[1]?.body)).toContain('"tested\\nExit code 0."');
      expect(results(ralph)).toEqual(["made.txt  4\npackage.json  35\ntest.js  70"]);
      expect(readdirSync(ralph.workspace.project).sort()).toEqual(["made.txt", "package.json", "test.js"]);
      const undone = await ralph.run(["undo", "--list", "--json"]);
      expect(undone.stdout).toContain("made.txt");
      expect(undone.stdout).not.toMatch(/vscode|\.idea|\.claude/);
    },
    SLOW_MS,
  );

  test(
    "neither write outside nor read secrets nor reach the network, and the result says why",
    async () => {
      using ralph = await openFrontDoor();
      using elsewhere = server();
      ralph.workspace.write("user/.ssh/id_rsa", "private");
      const program = `
      const { readFileSync, writeFileSync } = require("fs");
      const attempt = (name, work) => { try { work(); console.log(name, "worked"); } catch (error) { console.log(name, error.code); } };
      attempt("secret", () => readFileSync(process.env.HOME + "/.ssh/id_rsa"));
      console.log("own", readFileSync(${JSON.stringify(join(ralph.workspace.home, "config/config.yml"))}).length);
      console.log(Object.keys(process.env).filter((name) => /KEY|SSH_AUTH_SOCK|TMUX/.test(name)), process.env.TMPDIR);
      if (process.argv[2] === "net") fetch(${JSON.stringify(elsewhere.address)}).catch(({ cause }) => { throw cause; });
      else writeFileSync(process.env.HOME + "/.bashrc", "evil");
    `;
      projectProgram(ralph, program);
      ralph.writeConfig("effort: low\n");
      ralph.provider.answer(shell("make -s"), shell("make -s net"), textAnswer("ok"));
      const { code } = await ralph.run(["-p", "go"], { environment: { SSH_AUTH_SOCK: "/run/x", TMUX: "/run/y" } });
      const told = ralph.provider.requests.slice(1).map(({ body }) => JSON.stringify(body));
      expect(code).toBe(0);
      expect(told[0]).toContain("secret ENOENT\\nown 0\\n[] /tmp\\n");
      expect(told[0]).toContain("EROFS");
      expect(told[0]).toContain(
        `In the sandbox a command writes only in ${ralph.workspace.project} and /tmp, and there not to protected names`,
      );
      expect(told[1]).toContain("In the sandbox every command has a loopback network of its own");
      expect(existsSync(join(ralph.workspace.root, "user/.bashrc"))).toBe(false);
    },
    SLOW_MS,
  );

  test(
    "end with their own exit codes, also those of signals",
    async () => {
      using ralph = await openFrontDoor();
      ralph.provider.answer(shell("exit 42"), shell("kill -SEGV $$"), shell("sleep 100 & echo on"), textAnswer("ok"));
      await ralph.run(["-p", "--yolo", "go"]);
      const told = ralph.provider.requests.slice(1).map(({ body }) => JSON.stringify(body));
      expect(told[0]).toContain("Exit code 42.");
      expect(told[1]).toContain("Exit code 139.");
      expect(told[2]).toContain("on\\nExit code 0.\\nWhat still ran behind an & was ended with it.");
    },
    SLOW_MS,
  );

  test(
    "are confined as jobs too, and the job says why it failed",
    async () => {
      using ralph = await openFrontDoor();
      projectProgram(ralph, "require('fs').writeFileSync(process.env.HOME + '/.bashrc', 'evil')");
      const look = toolCallAnswer({ name: "job_output", input: { job_id: "job-1", since: 100000, wait: 20 } });
      ralph.provider.answer(shell("make -s", { background: true }), look, textAnswer("ok"));
      const { code } = await ralph.run(["-p", "go"]);
      expect(code).toBe(0);
      expect(results(ralph)[0]).toMatch(/job-1: Exit code 2\. In the sandbox a command writes only in /);
      expect(existsSync(join(ralph.workspace.root, "user/.bashrc"))).toBe(false);
    },
    SLOW_MS,
  );

  test(
    "that --yolo allows stay in the sandbox, which is opened for what their words name",
    async () => {
      using ralph = await openFrontDoor();
      using elsewhere = server();
      const outside = join(ralph.workspace.root, "outside");
      mkdirSync(outside);
      ralph.provider.answer(
        shell(`echo x > ${outside}/named`),
        shell(`sh -c 'echo x > ${join(ralph.workspace.root, "user")}/.hidden'`),
        shell(`curl -sS ${elsewhere.address}`),
        shell("git status", { needs: "unsandboxed" }),
        textAnswer("ok"),
      );
      await ralph.run(["-p", "--yolo", "go"]);
      const told = ralph.provider.requests.slice(1).map(({ body }) => JSON.stringify(body));
      expect(readdirSync(outside)).toEqual(["named"]);
      expect(told[1]).toContain("Read-only file system");
      expect(told[2]).toContain("reached\\nExit code 0");
      expect(told[3]).toContain("Not run: git status needs a yes (it wants to run without the sandbox)");
    },
    SLOW_MS,
  );

  test(
    "may write to a place that a rule opens for all of them",
    async () => {
      using ralph = await openFrontDoor();
      const outside = join(ralph.workspace.root, "outside");
      mkdirSync(outside);
      projectProgram(ralph, `require("fs").writeFileSync(${JSON.stringify(join(outside, "made"))}, "")`);
      ralph.provider.answer(shell("make -s"), textAnswer("ok"));
      await ralph.run(["-p", "--allow", `Bash(${outside}/**)`, "go"]);
      expect([results(ralph), readdirSync(outside)]).toEqual([["Exit code 0."], ["made"]]);
    },
    SLOW_MS,
  );

  test(
    "get what a person allowed, once",
    async () => {
      using ralph = await openFrontDoor();
      using elsewhere = server();
      const outside = join(ralph.workspace.root, "outside");
      mkdirSync(outside);
      projectProgram(
        ralph,
        `fetch(${JSON.stringify(elsewhere.address)}).then(async (answer) => console.log(await answer.text()))`,
      );
      ralph.provider.answer(
        shell(`echo x > ${outside}/one`),
        shell("make -s", { needs: "network" }),
        shell("make -s"),
        shell("touch ../outside/two", { needs: "unsandboxed" }),
        textAnswer("ok"),
      );
      await using terminal = ralph.inTerminal(["-p", "go"]);
      await terminal.waitForOutput(/outside\/one\nIt could write to \S+\/outside\n\[y\]es/);
      terminal.type("y\n");
      await terminal.waitForOutput(/make -s\nIt would get the network\.\n\[y\]es/);
      terminal.type("y\n");
      await terminal.waitForOutput(/outside\/two\nIt would run without the sandbox, with all your rights\.\n\[y\]es/);
      terminal.type("y\n");
      expect((await terminal.exited).code).toBe(0);
      const told = ralph.provider.requests.slice(1).map(({ body }) => JSON.stringify(body));
      expect(told[1]).toContain("reached\\n\\nExit code 0");
      expect(told[2]).toContain("loopback network of its own");
      expect(readdirSync(outside).sort()).toEqual(["one", "two"]);
    },
    SLOW_MS,
  );

  test(
    "that are running when Ralph is killed end with it, and the next Ralph tidies up",
    async () => {
      using ralph = await openFrontDoor();
      const mark = `sleep 98${Math.floor(Math.random() * 1e9)}`;
      using _ = endsAll(mark.split(" ")[1] ?? "");
      ralph.provider.answer(shell(`echo up; setsid ${mark} & ${mark}`));
      await using live = ralph.start(["-p", "--yolo", "--mode", "json", "go"]);
      live.closeInput();
      await live.waitForOutput(/"tool-update".*up/);
      expect(readdirSync(ralph.workspace.project)).toContain(".vscode");
      live.kill("SIGKILL");
      await live.exited;
      const deadline = performance.now() + 5000;
      while (running(mark.split(" ")[1] ?? "").length > 0 && performance.now() < deadline) await Bun.sleep(10);
      expect(running(mark.split(" ")[1] ?? "")).toEqual([]);
      expect(readFileSync("/proc/mounts", "utf8")).not.toContain(ralph.workspace.root);
      ralph.provider.answer(shell("echo again"), textAnswer("ok"));
      await ralph.run(["-p", "--yolo", "go"]);
      expect(readdirSync(ralph.workspace.project)).toEqual([]);
      expect(readdirSync(join(ralph.workspace.home, "data/cache/sandbox/sessions"))).toEqual([]);
    },
    SLOW_MS,
  );

  test(
    "are judged by ralph why as they would run",
    async () => {
      using ralph = await openFrontDoor();
      const why = async (...args: string[]) => (await ralph.run(["why", ...args])).stdout;
      expect(await why("--", "npm test")).toBe(
        "allow: it can do no harm outside the workspace [category]\n  allow  npm test  (runs the project's own code)\nIt would run in the sandbox (bubblewrap).\n",
      );
      expect(await why("--", "curl http://example.com")).toContain(
        "It would run in the sandbox (bubblewrap), opened for the network.\n",
      );
      expect(await why("--", "git push")).toContain(
        "It would run without the sandbox: it works with your own keys or services.\n",
      );
      expect(await why("--sandbox", "off", "--", "npm test")).toBe(
        "ask: npm test: runs the project's own code [category]\n  ask    npm test  (runs the project's own code)\nIt would run without a sandbox: it is off.\n",
      );
      expect(await why("--", "sudo ls")).not.toContain("would run");
    },
    SLOW_MS,
  );

  test(
    "have a row in ralph doctor",
    async () => {
      using ralph = await openFrontDoor();
      const sandbox = async (...args: string[]) => {
        const { findings } = JSON.parse((await ralph.run(["doctor", "--json", ...args])).stdout);
        return findings.filter(({ subject }: { subject: string }) => subject === "sandbox");
      };
      expect(await sandbox()).toEqual([
        { subject: "sandbox", state: "ok", text: `commands run in it: ${sandboxHere.reason}` },
      ]);
      expect(await sandbox("--sandbox", "off")).toEqual([
        {
          subject: "sandbox",
          state: "warning",
          text: "off: commands run with all your rights",
          fix: "Remove `sandbox: off` from config.yml, or leave out --sandbox off.",
        },
      ]);
    },
    SLOW_MS,
  );
});

test("the empty folders that hold names make no project of their own", async () => {
  using ralph = await openFrontDoor();
  ralph.workspace.write("project/.ralph/config.yml", 'permissions: {deny: ["Bash(curl:*)"]}\n');
  const cwd = join(ralph.workspace.project, "sub");
  for (const name of [".git", ".ralph"]) mkdirSync(join(cwd, name), { recursive: true });
  const { stdout } = await ralph.run(["config", "why", "permissions.deny", "--json"], { cwd });
  expect(JSON.parse(stdout).value).toEqual(["Bash(curl:*)"]);
});

describe("without the sandbox", () => {
  test.each([
    ["--sandbox off", ["--sandbox", "off"], ""],
    ["sandbox: off", [], "sandbox: off\n"],
  ])(
    "%s is told, and what the sandbox would have made harmless is asked about",
    async (_, flags, config) => {
      using ralph = await openFrontDoor();
      projectProgram(ralph, "console.log('tested')");
      ralph.writeConfig(config);
      ralph.provider.answer(shell("make -s"), shell("git status"), textAnswer("ok"));
      const { stderr } = await ralph.run(["-p", ...flags, "go"]);
      expect(stderr.match(/The sandbox is off: commands run with all your rights\./g)?.length).toBe(1);
      expect(JSON.stringify(ralph.provider.requests[1]?.body)).toContain("Not run: make -s needs a yes");
    },
    SLOW_MS,
  );

  test(
    "a project cannot switch it off",
    async () => {
      using ralph = await openFrontDoor();
      ralph.workspace.write("project/.ralph/config.yml", "sandbox: off\n");
      const { stdout, stderr } = await ralph.run(["config", "why", "sandbox", "--json", "--trust"]);
      expect(JSON.parse(stdout).value).toBe("auto");
      expect(stderr).toContain("a project may not set this");
    },
    SLOW_MS,
  );
});
