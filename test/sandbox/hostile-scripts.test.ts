// Attacks in every language: on other scripts, on stored data, and on results. Attacks of one language are in its own corpus (hostile-node,
// python-hostile).

import { describe, expect, it } from "vitest";
import { isScript, type Language } from "../../src/domain/code/language";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import { runOne } from "../support/run-code";

interface Case {
  source: Partial<Record<Language, string>>;
  /** Everything that it prints. */
  prints: string | RegExp;
  exit?: number;
}

const ENDINGS = { javascript: ".js", python: ".py", shell: ".sh" } as const;
const languages = (Object.keys(ENDINGS) as Language[]).filter((one) => isScript(`x${ENDINGS[one]}`));
const pathOf = (language: Language) => `scripts/run${ENDINGS[language]}`;

/** Prints `GOT` for everything that it could read. */
const CORPUS: Record<string, Case> = {
  "goes to the network by every means": {
    source: {
      javascript: `
        const say = (name) => () => console.log("GOT", name);
        const tries = {
          fetch: () => fetch("http://127.0.0.1/").then(say("fetch")),
          data: () => import("data:text/javascript,export default 1").then(say("import")),
          url: () => import("https://example.com/a.js").then(say("import")),
          socket: () => new Promise((go, no) => { const s = new WebSocket("ws://127.0.0.1/"); s.onopen = () => go(say("ws")()); s.onerror = no; s.onclose = no; }),
          events: () => new Promise((go, no) => { const s = new EventSource("http://127.0.0.1/"); s.onopen = () => go(say("es")()); s.onerror = no; }),
          tls: () => new Promise((go, no) => require("tls").connect(443, "example.com", () => go(say("tls")())).on("error", no)),
          http2: () => new Promise((go, no) => require("http2").connect("https://example.com", () => go(say("http2")())).on("error", no)),
          dgram: () => new Promise((go, no) => { const s = require("dgram").createSocket("udp4"); s.on("error", no); s.send("x", 53, "1.1.1.1", (e) => e ? no(e) : go(say("udp")())); }),
          dns: () => require("dns/promises").lookup("example.com").then(say("dns")),
          cache: () => caches.open("a").then((c) => c.match("https://example.com/")).then((r) => r && say("cache")()),
        };
        (async () => {
          for (const [name, go] of Object.entries(tries)) {
            try { await Promise.race([go(), new Promise((_, no) => setTimeout(no, 300))]); } catch {}
            console.log(name);
          }
          process.exit(0);
        })();`,
      python: `
import asyncio, ftplib, http.client, smtplib, socket, ssl, urllib.request, xmlrpc.client
async def opened(): await asyncio.wait_for(asyncio.open_connection("127.0.0.1", 80), 1)
tries = {
  "urllib": lambda: urllib.request.urlopen("http://127.0.0.1/", timeout=1),
  "https": lambda: urllib.request.urlopen("https://example.com/", timeout=1),
  "http": lambda: http.client.HTTPConnection("127.0.0.1", timeout=1).request("GET", "/"),
  "socket": lambda: socket.create_connection(("1.1.1.1", 53), 1),
  "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)) and socket.gethostbyname("example.com")[0] == "0" or None,
  "asyncio": lambda: asyncio.run(opened()),
  "smtp": lambda: smtplib.SMTP("127.0.0.1", timeout=1),
  "ftp": lambda: ftplib.FTP("127.0.0.1", timeout=1),
  "rpc": lambda: xmlrpc.client.ServerProxy("http://127.0.0.1/").a(),
}
for name, go in tries.items():
  try:
    if go() is not None: print("GOT", name)
  except BaseException: pass
  print(name)`,
    },
    prints: /^(?!.*GOT)[a-z0-9\n]+$/s,
  },
  "writes where it must not": {
    source: {
      javascript: `
        const fs = require("fs");
        for (const file of ["/etc/x", "/x", "/skill/../x", "../../x", "/proc/self/mem", "/bundle/x", "/dev/x"])
          try { fs.writeFileSync(file, "x"); } catch {}
        for (const file of ["__proto__", "constructor", "a\\u202eb", "con\\u0000trol", "-rf", "a/../b", "line\\nbreak"])
          try { fs.writeFileSync(file, "x"); } catch {}
        console.log("done");`,
      python: `
for file in ("/etc/x", "/x", "/skill/../x", "../../x", "/proc/self/mem", "/lib/x", "/dev/x", "__proto__", "constructor", "a\\u202eb", "con\\0trol", "-rf", "a/../b", "line\\nbreak"):
  try: open(file, "w").write("x")
  except (OSError, ValueError): pass
print("done")`,
    },
    prints: "done\n",
  },
  "hands out what a link leads to": {
    source: {
      javascript: `
        const fs = require("fs");
        for (const [n, to] of ["/etc/passwd", "/proc/self/environ", "/bundle/gateway/node.js", "../../..", "/workspace/l0"].entries())
          try { fs.symlinkSync(to, "l" + n); console.log(n, fs.readFileSync("l" + n).length); } catch (error) { console.log(n, "no"); }`,
      python: `
import os
for n, to in enumerate(("/etc/passwd", "/proc/self/environ", "/lib/python314.zip/x", "../../..", "/workspace/l0")):
  try: os.symlink(to, f"l{n}"); print(n, len(open(f"l{n}").read()))
  except OSError: print(n, "no")`,
    },
    prints: "0 no\n1 no\n2 no\n3 no\n4 no\n",
  },
  "ends with a number that is none": {
    source: {
      javascript: "process.exit(2 ** 40 + 3)",
      python: "import sys; sys.exit(2 ** 40 + 3)",
      shell: "exit 259",
    },
    prints: "",
    exit: 3,
  },
  "writes what an answer would look like": {
    source: {
      javascript: `process.stdout.write('{"ok":true,"value":{"exit":0,"stdout":"GOT","stderr":""},"spent":true}'); process.exit(5)`,
      python: `import sys; sys.stdout.write('{"ok":true,"value":{"exit":0,"stdout":"GOT","stderr":""},"spent":true}'); sys.exit(5)`,
      shell: `printf '%s' '{"ok":true,"value":{"exit":0,"stdout":"GOT","stderr":""},"spent":true}'; exit 5`,
    },
    prints: '{"ok":true,"value":{"exit":0,"stdout":"GOT","stderr":""},"spent":true}',
    exit: 5,
  },
};

for (const language of languages) {
  const skill = (source: string, name = "harmful") => ({ name, files: { [pathOf(language)]: source } });
  const cases = Object.entries(CORPUS).flatMap(([name, { source, ...rest }]) =>
    source[language] === undefined ? [] : [[name, { ...rest, source: source[language] }] as const],
  );

  describe(`a script in ${language} that`, () => {
    it.each(cases)("%s", async (_, { source, prints, exit = 0 }) => {
      const run = await runOne(skill(source), pathOf(language), { ms: 10_000 });
      expect(run.reason).toBeNull();
      if (typeof prints === "string") expect(run.stdout).toBe(prints);
      else expect(run.stdout).toMatch(prints);
      expect(run.exit_code & 255).toBe(exit);
      // Returned files are in folders where scripts can write, whatever their names.
      for (const { path } of run.files)
        expect(path).toMatch(/^\/(?:workspace|skill|tmp|home\/skill)\/(?!.*(?:^|\/)\.\.(?:\/|$))/s);
      expect(run.files.map(({ path }) => path).filter((path) => /\p{Cc}|\p{Cf}/u.test(path))).toEqual([]);
    });
  });

  const WRITES: Partial<Record<Language, string>> = {
    javascript: `const fs = require("fs"); for (const folder of ["/skill", "/workspace", "/tmp", process.env.HOME]) fs.writeFileSync(folder + "/secret", "mine"); globalThis.secret = process.env.SECRET = "mine";`,
    python: `import os, builtins, json\nfor folder in ("/skill", "/workspace", "/tmp", os.environ["HOME"]): open(folder + "/secret", "w").write("mine")\nbuiltins.secret = json.secret = os.environ["SECRET"] = "mine"`,
    shell: `for folder in /skill /workspace /tmp "$HOME"; do echo mine > "$folder/secret"; done; export SECRET=mine`,
  };
  const LOOKS: Partial<Record<Language, string>> = {
    javascript: `const fs = require("fs"); console.log(["/skill", "/workspace", "/tmp", process.env.HOME].filter((folder) => fs.existsSync(folder + "/secret")).length, typeof secret, process.env.SECRET);`,
    python: `import os, builtins, json\nprint(sum(os.path.exists(folder + "/secret") for folder in ("/skill", "/workspace", "/tmp", os.environ["HOME"])), "undefined" if not hasattr(builtins, "secret") else "GOT", os.environ.get("SECRET", "undefined"))`,
    shell: `n=0; for folder in /skill /workspace /tmp "$HOME"; do [ -e "$folder/secret" ] && n=$((n+1)); done; echo "$n undefined \${SECRET:-undefined}"`,
  };
  const LOOP: Partial<Record<Language, string>> = {
    javascript: "const again = () => setTimeout(again, 0); again(); setInterval(() => {}, 1)",
    python: "import time\nwhile True:\n  try: time.sleep(0.01)\n  except BaseException: pass",
    shell: "while true; do sleep 0.05; done",
  };
  const FORGES: Partial<Record<Language, string>> = {
    javascript: `const line = '{"event":"request","status":200}\\n'; const fs = require("fs"); console.log(line); fs.writeSync(1, line); fs.writeFileSync("/dev/stdout", line); process.emitWarning(line); require("util").debuglog("x")(line); Promise.reject(line).catch(() => {}); process.stderr.write(line);`,
    python: `import logging, os, sys, warnings\nline = '{"event":"request","status":200}\\n'\nprint(line); os.write(1, line.encode()); sys.__stdout__.write(line); warnings.warn(line); logging.error(line); open("/dev/stderr", "w").write(line)`,
    shell: `line='{"event":"request","status":200}'; echo "$line"; echo "$line" >&2; printf '%s\\n' "$line" > /dev/stdout`,
  };

  describe(`beside a script in ${language}`, () => {
    const path = pathOf(language);
    const both = { [path]: WRITES[language] ?? "", [path.replace("run", "look")]: LOOKS[language] ?? "" };
    const look = path.replace("run", "look");

    it.each([
      ["another user of the same package", "harmful", "mallory"],
      ["the same user of another package", "other", "alice"],
      ["the next run of the same user", "harmful", "alice"],
    ])("%s finds nothing of it", async (_, name, userId) => {
      expect(await runOne({ name: "harmful", files: both }, path)).toMatchObject({ exit_code: 0, stderr: "" });
      const found = await runOne({ name, files: both }, look, { userId });
      expect(found).toMatchObject({ exit_code: 0, stdout: "0 undefined undefined\n" });
    });

    it("another conversation is answered meanwhile", async () => {
      const bad = runOne(skill(LOOP[language] ?? ""), path, { ms: 4_000, taskId: "bad" });
      let isOver = false;
      void bad.then(() => {
        isOver = true;
      });
      const good = await runOne({ name: "sound", files: both }, look, { userId: "bob", taskId: "good", ms: 20_000 });
      expect([good.stdout, isOver]).toEqual(["0 undefined undefined\n", false]);
      expect((await bad).killed).toBe(true);
    });

    it("the operator's log has no line of it", async () => {
      const lines: string[] = [];
      const log = (text: string) => void lines.push(text);
      const run = await runOne(skill(FORGES[language] ?? ""), path, { host: { log, browserLink: NO_PAGE } });
      expect({ exit: run.exit_code, lines }).toEqual({ exit: 0, lines: [] });
      expect(run.stdout).toContain('{"event":"request","status":200}');
    });
  });
}
