import { describe, expect, test } from "bun:test";
import { analyseCommand } from "../../../src/permissions/shell/analyse-command.ts";
import { hardDeny } from "../../../src/permissions/shell/hard-denies.ts";

const reasonFor = (command: string) => hardDeny(analyseCommand(command, { cwd: "/w", home: "/home" }), "/home");

describe("a command that would widen what an agent may do", () => {
  const refused = [
    "ralph trust",
    "ralph login openai < key",
    "RALPH_LOGIN_ISSUER=https://evil.example ralph login openai-codex",
    "ralph logout",
    "ralph --login",
    "ralph -p --logout=openai hello",
    "ralph trust --yes",
    "ralph trust --forget",
    "/usr/local/bin/ralph trust",
    "./node_modules/.bin/ralph trust",
    "env ralph trust",
    "env -i PATH=/bin RALPH_HOME=/w/x ralph trust",
    "RALPH_HOME=/w/x ralph trust",
    "timeout 5 nohup ralph trust",
    "node bin/ralph.mjs trust",
    "node --no-warnings /opt/ralph/bin/ralph.mjs trust",
    "bun src/cli/main.ts trust",
    "npx ralph trust",
    "npx -y ralph@latest trust",
    "npm exec ralph -- trust",
    "bash -c 'ralph trust'",
    "echo x | xargs ralph trust",
    "ls && ralph trust",
    "$(ralph trust)",
    "command ralph trust",
    "ralph --yolo -p 'do it'",
    "ralph -p 'do it' --allow 'Bash(rm:*)'",
    "ralph --allow=Bash -p x",
    "ralph --allow-category shell -p x",
    "ralph -p x --sandbox off",
    "ralph -p x --sandbox=off",
    "ralph --trust -p x",
    "ralph config set permissions.allow Bash",
    "ralph permissions allow Bash",
    "ralph setup --preset other",
    "ralph --model x trust",
    "ralph --debug --model x config set permissions.allow Bash",
  ];
  for (const command of refused)
    test(`is refused: ${command}`, () => expect(reasonFor(command)).toMatch(/what (an agent|agents) may do/));

  const fine = [
    "ralph trust --list",
    "ralph help login",
    "ralph config",
    "ralph config why model",
    "ralph permissions check",
    "ralph permissions simulate 'Bash(ls:*)'",
    "ralph why -- ralph trust --yolo",
    "ralph -p 'explain ralph trust and --yolo'",
    "ralph sessions list",
    "ralph sessions search trust",
    "ralph -p trust",
    "ralph --sandbox auto -p x",
    "grep -rn 'ralph trust' docs",
    "cat ralph/trust",
    "node server.js trust",
    "npm test -- trust",
  ];
  for (const command of fine) test(`is none: ${command}`, () => expect(reasonFor(command)).toBeUndefined());
});
