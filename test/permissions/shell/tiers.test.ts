import { describe, expect, test } from "bun:test";
import { analyseCommand } from "../../../src/permissions/shell/analyse-command.ts";
import { type Tier, tierOf } from "../../../src/permissions/shell/tiers.ts";
import { HOME, lexicalClass, WORKSPACE } from "../../support/judge-line.ts";

describe("the default tiers", () => {
  const ROWS: Record<Tier, string> = {
    allowed: `ls -la|cat a.ts|grep -rn x src|rg x|find . -name '*.ts'|sed -n 1,5p a|awk '{print $1}' a|git status|git diff HEAD~5..HEAD|git log -5|git show HEAD|
      git branch|git branch --show-current|git stash list|git tag -l|git remote -v|git config --get user.name|git rev-parse HEAD|git blame a.ts|cd src|
      true|test -f a|wc -l a|jq . a.json|pwd|echo hi|which node|head -5 a|sort a|git reflog|git worktree list`,
    build: "npm test|npm run build|cargo test|go test ./...|make|pytest -q|tsc --noEmit|eslint src|bun test",
    ask: `cp a b|mv a b|mkdir x|curl https://example.com|npm install|node a.js|python3 a.py|cat /etc/passwd|cat ../a|ls $(id)|cat $X|sort -o f a|find . -delete|
      sed -i p a|./run.sh|unknown-program|git checkout main|printenv|env|less a|bash a.sh|npx tsc|tee a|echo x > a|PATH=. ls|ls ~|git reset --soft HEAD~1|git diff --ext-diff`,
    denied: `rm a|rm -rf x|touch a|ln -s a b|chmod +x a|dd if=a of=b|mount x|shutdown now|systemctl stop x|kill 1|sudo ls|su|git push|git pull|git clone x|git clean -f|
      git reset --hard|git checkout -b x|git checkout -f|git branch -D x|git branch new|git remote add a b|git commit -m x|git merge x|git add .|git stash|git tag -d x|git tag v1|
      git switch x|git rm a|git --no-pager push|git -C src push|/bin/rm a|timeout 5 rm a|pushd a`,
  };
  for (const [tier, commands] of Object.entries(ROWS)) {
    test(`${tier}`, () => {
      const list = commands.split("|").map((command) => command.trim());
      const tiers = list.map((command) => [command, tierOf(first(command), { classifyPath: lexicalClass }).tier]);
      expect(tiers).toEqual(list.map((command) => [command, tier]));
    });
  }
});

test("what runs inside another command is asked about, even if it only reads", () => {
  const { segments } = analyseCommand("echo $(ls)", { cwd: WORKSPACE, home: HOME });
  const tiers = segments.map((segment) => [segment.words[0], tierOf(segment, { classifyPath: lexicalClass })]);
  expect(tiers).toEqual([
    ["ls", { tier: "ask", reason: "runs inside another command" }],
    ["echo", { tier: "ask", reason: "$(ls) is only known when it runs" }],
  ]);
});

function first(command: string) {
  const [segment] = analyseCommand(command, { cwd: WORKSPACE, home: HOME }).segments.filter(({ nested }) => !nested);
  if (segment === undefined) throw new Error(`no command in ${command}`);
  return segment;
}
