// Hostile shell scripts: each ends with a reason by its deadline, reaches nothing, and does not affect other scripts.

import { describe, expect, it } from "vitest";
import { runOne } from "../../support/run-code";

const ENDED = /ended after/;

/** What each does, and its expected output or error. */
const CORPUS: Record<string, [source: string, seen: RegExp]> = {
  "a loop without end": ["while true; do :; done", /too many commands|ended after/],
  "a loop of arithmetic without end": ["for ((;;)); do :; done", /too many commands|ended after/],
  "output without end": [
    "while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
    /too many commands|limit exceeded|ended after/,
  ],
  "a pipe without end": [
    "while :; do echo yyyyyyyyyyyyyyyy; done | head -c 10000000 | wc -c",
    /too many commands|limit exceeded|ended after/,
  ],
  "a fork bomb": [":(){ :|:& };:", /recursion depth/],
  "recursion without end": ["f(){ f; }; f", /recursion depth/],
  "a script that starts itself": ['exec "$0"', /recursion|limit exceeded|ended after|call stack/],
  "a script that sources itself": ['. "$0"', /nesting depth/],
  "a text that evaluates itself": [
    `x='eval "$x"'; eval "$x"`,
    /recursion|limit exceeded|ended after|call stack|too many/,
  ],
  "a trap that never ends": ["trap 'while :; do :; done' EXIT; exit", /too many commands|ended after/],
  "a sleep beyond its time": ["echo before; sleep 1000; echo after", /before[\s\S]*ended after/],
  "a string that doubles": ["a=x; for i in $(seq 60); do a=$a$a; done; echo OUT", /limit exceeded/],
  "braces without number": ["echo {1..100000}{1..100000} | wc -c", /limit exceeded/],
  "numbers without end": ["seq 1000000000000 | tail -1", /limit exceeded/],
  "a width without measure": ["printf '%1000000000s' x; echo OUT", /limit exceeded/],
  "a loop inside awk": ["awk 'BEGIN { while (1) {} }'", /exceeded maximum iterations/],
  "a string inside awk": [`awk 'BEGIN { s = "x"; while (1) s = s s }'`, /limit exceeded/],
  "a loop inside jq": ["jq -n '[limit(1e9; repeat(1))] | length'", /too many iterations|limit exceeded/],
  "a recursion inside jq": ["jq -n 'def f: f; f'", /limit exceeded/],
  "a loop inside sed": ["echo a | sed ':a;s/a/a/;ta'", /exceeded maximum iterations|ended after/],
  "a pattern that backtracks, in grep": [
    "printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' | grep -E '^(a+)+$'; echo $?",
    /^1\n/,
  ],
  "a pattern that backtracks, in the shell": [
    "[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! =~ ^(a+)+$ ]]; echo $?",
    /^1\n/,
  ],
  "a glob that backtracks": [`case ${"a".repeat(60)} in ${"*a".repeat(12)}*b) echo OUT;; *) echo n;; esac`, /^n\n/],
  "a comparison that takes the square": ["diff <(seq 20000) <(seq 20000 -1 1)", /more than 8000 lines/],
  "files without end": [
    "i=0; while head -c 1000000 /dev/zero > /tmp/f$i; do i=$((i+1)); done; rm /tmp/*; echo $i",
    /^16\n[\s\S]*No space left|ended after/,
  ],
  "names without end": [
    "i=0; while : > /tmp/f$i; do i=$((i+1)); done 2> /dev/null; rm /tmp/*; echo $i",
    /^4000\n|ended after/,
  ],
  "folders inside each other": [
    "while mkdir d && cd d; do :; done",
    /No space|too many|ENOSPC|limit exceeded|ended after/,
  ],
  "links in a circle": ["ln -s b a; ln -s a b; cat a || echo none; rm a b", /^none\n/],
  "an archive that leads outside": [
    "mkdir -p x/y; echo h > x/e; cd x/y; tar cf ../../a.tar ../e; cd ../..; rm -r x; tar xf a.tar || echo refused; rm a.tar",
    /^refused\n/,
  ],
  "files that are not its own": [
    'cat /etc/passwd /proc/1/environ /proc/self/environ /dev/mem ../../bundle/main.js /main.js; ls /etc /root; echo OUTSIDE > /usr/bin/cat; grep -c cat "$0"',
    /^1\n/,
  ],
  prototypes: [
    `declare -A m; m[__proto__]=x; m[constructor]=y; __proto__=1; echo \${#m[@]} $__proto__; jq -n '{"__proto__": {"polluted": 1}} | .polluted'; constructor; hasOwnProperty`,
    /^2 1\nnull\n/,
  ],
  "the runtime, by what a language inside might reach": [
    "jq -n 'env | keys | length > 40'; awk 'BEGIN { system(\"echo OUT\"); \"echo OUT\" | getline x; print x }'; sed -n '1e echo OUT' \"$0\"",
    /^false\n/,
  ],
  "the network, by every means": [
    "curl https://example.com; wget https://example.com; nc example.com 80; ssh x; echo x > /dev/tcp/1.1.1.1/80; cat < /dev/tcp/1.1.1.1/80; echo $?",
    /curl is not here[\s\S]*nc is not here/,
  ],
  "a forged line of the log": [
    `echo '{"event":"forged"}' > /dev/stdout; echo '{"event":"forged"}' > /proc/1/fd/1`,
    /forged/,
  ],
  "its parent": ["kill -9 $PPID; kill -9 $$; kill -9 -1; echo alive", /^alive\n/],
  "parts without end": [`while true; do python3 -c 'print(1)'; done`, ENDED],
};

describe("hostile shell scripts", () => {
  it.each(Object.entries(CORPUS))("%s", async (_, [source, seen]) => {
    const began = Date.now();
    const run = await runOne({ name: "hostile-shell", files: { "scripts/bad.sh": source } }, "scripts/bad.sh", {
      ms: 2_000,
    });
    // It must not hang; a busy machine takes longer.
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(run.stdout + run.stderr).toMatch(seen);
    expect(run.stdout).not.toMatch(/OUT/);
    expect(run.exit_code === 0 || run.stderr !== "").toBe(true);
    const sound = { name: "sound", files: { "scripts/good.sh": "echo $((1 + 1)) $(ls /tmp | wc -l)" } };
    expect(await runOne(sound, "scripts/good.sh")).toMatchObject({ exit_code: 0, stdout: "2 0\n" });
  });

  it("does not see another user's run of the same package", async () => {
    const skill = {
      name: "two",
      files: {
        "scripts/run.sh": `ls /tmp /workspace | wc -l; echo "\${LEFT:-none}"; export LEFT=1; echo mine > /tmp/mine; sleep 0.2`,
      },
    };
    const both = await Promise.all(["u1", "u2"].map((userId) => runOne(skill, "scripts/run.sh", { userId })));
    expect(both.map(({ stdout }) => stdout)).toEqual(
      ["2\nnone\n", "2\nnone\n"].map((text) => text.replace("2", both[0]?.stdout[0] ?? "")),
    );
    expect(await runOne(skill, "scripts/run.sh", { userId: "u1" })).toMatchObject({ stdout: both[0]?.stdout });
  });
});
