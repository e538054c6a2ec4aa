// Implements small programs that scripts use and just-bash does not have. Information about the machine is the same for every user.

import { TRAP } from "./process.js";

const done = (stdout = "", exitCode = 0) => ({ stdout, stderr: "", exitCode });
const failed = (stderr, exitCode = 1) => ({ stdout: "", stderr: `${stderr}\n`, exitCode });
const isOption = (word) => /^-./.test(word);

const COMMANDS = {
  trap: setTrap,
  mktemp: makeTemporary,
  realpath: tellPath,
  uname: tellSystem,
  id: tellUser,
  groups: async () => done("skill\n"),
  whoami: async () => done("skill\n"),
  nproc: async () => done("1\n"),
  tput: async () => failed("tput: No value for $TERM and no -T specified", 2),
  stty: async () => failed("stty: 'standard input': Inappropriate ioctl for device"),
  tty: async () => done("not a tty\n", 1),
  sync: async () => done(),
  umask: async (args) => done(args.some((word) => !isOption(word)) ? "" : "0022\n"),
  ulimit: async (args) => done(args.some((word) => !isOption(word)) ? "" : "unlimited\n"),
  times: async () => done("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n"),
  jobs: async () => done(),
  ps: async () => done("    PID TTY          TIME CMD\n      1 ?        00:00:00 bash\n"),
  chown: async () => done(),
  kill: async (args) =>
    args[0] === "-0" && args[1] === "1" ? done() : failed(`bash: kill: (${args.at(-1) ?? ""}) - No such process`),
  envsubst: substitute,
  install: installFile,
  truncate: truncateFile,
  shuf: shuffle,
  diff: compare,
  od: dump,
  sort: sortLines,
  xargs: callWithInput,
  yes: async (args) => done(`${args.join(" ") || "y"}\n`.repeat(1_000)),
};

export function ownCommands() {
  return Object.entries(COMMANDS).map(([name, execute]) => ({ name, execute }));
}

/** Only the trap at exit is supported: there are no signals. */
async function setTrap(args, context) {
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0 || words[0] === "-p") {
    const text = context.env.get(TRAP);
    return done(text === undefined ? "" : `trap -- '${text.replaceAll("'", `'\\''`)}' EXIT\n`);
  }
  const [text, ...names] = words.length === 1 ? ["-", ...words] : words;
  if (names.some((name) => /^(?:SIG)?EXIT$|^0$/i.test(name))) {
    if (text === "-" || text === "") context.env.delete(TRAP);
    else context.env.set(TRAP, text);
  }
  return done();
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

async function makeTemporary(args, { fs, cwd, env }) {
  let [folder, suffix, template] = [null, "", null];
  let [isFolder, isDry] = [false, false];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const [, long] = /^--tmpdir(?:=(.*))?$/.exec(word) ?? [];
    if (/^-[dqut]*p$/.test(word)) folder = args[++at] ?? "";
    else if (word.startsWith("--tmpdir")) folder = long ?? env.get("TMPDIR") ?? "/tmp";
    else if (word.startsWith("--suffix=")) suffix = word.slice("--suffix=".length);
    else if (word === "--directory") isFolder = true;
    else if (!isOption(word)) template = word;
    if (/^-[a-z]+$/.test(word)) {
      isFolder ||= word.includes("d");
      isDry ||= word.includes("u");
      if (word.includes("t")) folder ??= env.get("TMPDIR") ?? "/tmp";
    }
  }
  if (template === null) {
    template = "tmp.XXXXXXXXXX";
    folder ??= env.get("TMPDIR") ?? "/tmp";
  }
  const marks = /X{3,}(?=[^X]*$)/.exec(template);
  if (marks === null) return failed(`mktemp: too few X's in template '${template}'`);
  const random = crypto.getRandomValues(new Uint8Array(marks[0].length));
  const letters = [...random].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  const name = template.slice(0, marks.index) + letters + template.slice(marks.index + marks[0].length) + suffix;
  const shown = folder === null ? name : `${folder.replace(/\/$/, "")}/${name}`;
  const path = fs.resolvePath(cwd, shown);
  const parent = path.slice(0, path.lastIndexOf("/")) || "/";
  if (!(await fs.exists(parent)))
    return failed(
      `mktemp: failed to create ${isFolder ? "directory" : "file"} via template '${shown}': No such file or directory`,
    );
  if (!isDry) {
    if (isFolder) await fs.mkdir(path);
    else await fs.writeFile(path, "");
    await fs.chmod(path, isFolder ? 0o700 : 0o600);
  }
  return done(`${shown}\n`);
}

async function tellPath(args, { fs, cwd }) {
  const anyway = args.some((word) => /^-\w*m|^--canonicalize-missing$/.test(word));
  const must = args.some((word) => /^-\w*e|^--canonicalize-existing$/.test(word));
  const base = args.find((word) => word.startsWith("--relative-to="))?.slice("--relative-to=".length);
  const out = [];
  const problems = [];
  for (const word of args.filter((each) => !isOption(each))) {
    const path = fs.resolvePath(cwd, word);
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    const isThere = await fs.exists(path);
    if (!anyway && !isThere && (must || !(await fs.exists(parent)))) {
      problems.push(`realpath: ${word}: No such file or directory\n`);
      continue;
    }
    const real = isThere ? await fs.realpath(path) : path;
    out.push(base === undefined ? real : relative(fs.resolvePath(cwd, base), real));
  }
  return {
    stdout: out.map((line) => `${line}\n`).join(""),
    stderr: problems.join(""),
    exitCode: problems.length > 0 ? 1 : 0,
  };
}

function relative(from, to) {
  const [a, b] = [from, to].map((path) => path.split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/") || ".";
}

const SYSTEM = { s: "Linux", n: "localhost", r: "6.1.0", v: "#1 SMP", m: "x86_64", o: "GNU/Linux" };

async function tellSystem(args) {
  const letters = args
    .filter(isOption)
    .flatMap((word) => (word.startsWith("--") ? [word[2] === "k" ? "s" : word[2]] : [...word.slice(1)]));
  const asked =
    letters.length === 0
      ? ["s"]
      : letters.includes("a")
        ? Object.keys(SYSTEM)
        : Object.keys(SYSTEM).filter((letter) => letters.includes(letter));
  return done(`${asked.map((letter) => SYSTEM[letter]).join(" ")}\n`);
}

async function tellUser(args) {
  const letters = args.filter(isOption).join("");
  if (/[ugG]/.test(letters)) return done(letters.includes("n") ? "skill\n" : "1000\n");
  return done("uid=1000(skill) gid=1000(skill) groups=1000(skill)\n");
}

async function substitute(args, { stdin, exportedEnv = {} }) {
  const only = args.find((word) => !isOption(word));
  const names = only === undefined ? null : new Set([...only.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name));
  const text = stdin.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (all, braced, plain) => {
    const name = braced ?? plain;
    return names === null || names.has(name) ? latin1Of(exportedEnv[name] ?? "") : all;
  });
  return { ...done(text), stdoutKind: "bytes" };
}

const encoder = new TextEncoder();
const latin1Of = (text) => [...encoder.encode(text)].map((byte) => String.fromCharCode(byte)).join("");

async function installFile(args, { fs, cwd }) {
  const words = [];
  let mode = 0o755;
  let isFolder = false;
  for (let at = 0; at < args.length; at++) {
    if (args[at] === "-m") mode = Number.parseInt(args[++at] ?? "755", 8);
    else if (/^-\w*d/.test(args[at])) isFolder = true;
    else if (!isOption(args[at])) words.push(fs.resolvePath(cwd, args[at]));
  }
  if (isFolder) for (const word of words) await fs.mkdir(word, { recursive: true });
  else {
    const target = words.pop();
    if (target === undefined || words.length === 0) return failed("install: missing file operand");
    const isInto = (await fs.stat(target).catch(() => null))?.isDirectory === true;
    for (const word of words) {
      const to = isInto ? `${target}/${word.split("/").at(-1)}` : target;
      await fs.cp(word, to);
      await fs.chmod(to, mode);
    }
  }
  return done();
}

const UNITS = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

async function truncateFile(args, { fs, cwd }) {
  const at = args.findIndex((word) => /^-s|^--size/.test(word));
  const said = /^(?:-s|--size)=?(.+)$/.exec(args[at] ?? "")?.[1] ?? args[at + 1] ?? "";
  const [, number, unit] = /^(\d+)([KMG]?)$/.exec(said) ?? [];
  if (number === undefined) return failed("truncate: you must specify a size");
  const size = Number(number) * UNITS[unit];
  if (size > 64 * UNITS.M) return failed(`truncate: failed to truncate at ${size} bytes: No space left on device`);
  for (const word of args.filter((each, index) => !isOption(each) && !(index === at + 1 && args[at] === "-s"))) {
    const path = fs.resolvePath(cwd, word);
    const before = await fs.readFileBuffer(path).catch(() => new Uint8Array());
    const bytes = new Uint8Array(size);
    bytes.set(before.subarray(0, size));
    await fs.writeFile(path, bytes);
  }
  return done();
}

async function shuffle(args, { fs, cwd, stdin }) {
  let lines = null;
  let most = Number.POSITIVE_INFINITY;
  let file = null;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const range = /^(?:-i)?(\d+)-(\d+)$/.exec(word === "-i" ? (args[at + 1] ?? "") : word);
    if (word === "-n") most = Number(args[++at]);
    else if (/^-n\d+$/.test(word)) most = Number(word.slice(2));
    else if (word === "-e") {
      lines = args.slice(at + 1);
      break;
    } else if (range !== null && word.startsWith("-i")) {
      if (word === "-i") at++;
      const [low, high] = [Number(range[1]), Number(range[2])];
      if (high - low > 1_000_000) return failed("shuf: too many lines");
      lines = Array.from({ length: high - low + 1 }, (_, index) => String(low + index));
    } else if (!isOption(word)) file = word;
  }
  const text = file === null ? stdin : await fs.readFile(fs.resolvePath(cwd, file), "binary");
  lines ??= text.replace(/\n$/, "").split("\n");
  for (let at = lines.length - 1; at > 0; at--) {
    const other = crypto.getRandomValues(new Uint32Array(1))[0] % (at + 1);
    [lines[at], lines[other]] = [lines[other], lines[at]];
  }
  return {
    ...done(
      lines
        .slice(0, most)
        .map((line) => `${line}\n`)
        .join(""),
    ),
    stdoutKind: "bytes",
  };
}

/** Lines of both sides together: what differs takes time by their square, and nothing ends it before. */
const DIFF_LINES = 8_000;

async function compare(args, { fs, cwd, origCommand }) {
  let lines = 0;
  for (const word of args.filter((each) => !isOption(each))) {
    const text = await fs.readFile(fs.resolvePath(cwd, word), "binary").catch(() => "");
    lines += text.split("\n").length;
  }
  return lines > DIFF_LINES ? failed(`diff: more than ${DIFF_LINES} lines together`, 2) : origCommand(args);
}

/** Letters of its options that take a value, which may be one word with it. */
async function callWithInput(args, { origCommand }) {
  const words = [];
  let at = 0;
  for (; at < args.length && isOption(args[at]); at++) {
    const [, letter, value] = /^-([EILPdns])(.*)$/s.exec(args[at]) ?? [];
    if (letter === undefined) {
      words.push(args[at]);
      if (args[at] === "--") break;
    } else {
      const given = value === "" ? args[++at] : value;
      // There is one after the other, whatever is asked for.
      if (letter !== "P") words.push(`-${letter}`, given ?? "");
    }
  }
  return origCommand([...words, ...args.slice(at)]);
}

/** `od -An -tx1` and the like, which tokens are made with; all else as just-bash has it. */
async function dump(args, { fs, cwd, stdin, origCommand }) {
  const words = args
    .join(" ")
    .replace(/-(A|t|N|w) /g, "-$1")
    .split(" ");
  const given = (letter) => words.findLast((word) => word.startsWith(`-${letter}`))?.slice(2);
  const [radix, width] = { x1: [16, 2], u1: [10, 3], o1: [8, 3] }[given("t")] ?? [];
  if (given("A") !== "n" || radix === undefined) return origCommand(args);
  const most = Number(given("N") ?? Number.POSITIVE_INFINITY);
  const across = Number(given("w") ?? 16);
  const file = words.find((word) => word !== "" && !isOption(word));
  const text = file === undefined ? stdin : await fs.readFile(fs.resolvePath(cwd, file), "binary");
  const fill = radix === 10 ? " " : "0";
  const shown = [...text.slice(0, most)].map((char) => ` ${char.charCodeAt(0).toString(radix).padStart(width, fill)}`);
  const lines = [];
  for (let at = 0; at < shown.length; at += across) lines.push(`${shown.slice(at, at + across).join("")}\n`);
  return done(lines.join(""));
}

/** With `-z` lines end as `find -print0` ends them. */
async function sortLines(args, { fs, stdin, origCommand }) {
  const plain = args
    .map((word) => (/^-[a-z]*z[a-z]*$/.test(word) ? word.replace("z", "") : word))
    .filter((word) => word !== "-" && word !== "--zero-terminated");
  if (plain.join(" ") === args.join(" ") || plain.some((word) => !isOption(word))) return origCommand(args);
  const swap = (text) => text.replace(/[\0\n]/g, (char) => (char === "\n" ? "\0" : "\n"));
  const path = `/dev/fd/sort-${crypto.randomUUID()}`;
  await fs.writeFile(path, swap(stdin), "binary");
  try {
    const sorted = await origCommand([...plain, path]);
    return { ...sorted, stdout: swap(sorted.stdout) };
  } finally {
    await fs.rm(path, { force: true });
  }
}
