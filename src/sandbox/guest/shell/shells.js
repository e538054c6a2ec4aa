// Implements commands that start shells and commands that print the inherited environment.

const quoted = (words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

const failed = (stderr, exitCode = 1) => ({ stdout: "", stderr: `${stderr}\n`, exitCode });

export function shellCommands() {
  return [
    { name: "bash", execute: startShell },
    { name: "sh", execute: startShell },
    { name: "env", execute: withEnvironment },
    { name: "printenv", execute: printEnvironment },
  ];
}

/** `bash [options] FILE`, `bash -c TEXT`, or a script from the input. */
async function startShell(args, context) {
  const options = [];
  let at = 0;
  for (; at < args.length && /^[-+]./.test(args[at]); at++) {
    const word = args[at];
    if (word === "--") {
      at++;
      break;
    }
    if (word === "--version") return { stdout: "GNU bash, version 5.2 (a stand-in)\n", stderr: "", exitCode: 0 };
    if (word === "-o" || word === "+o") options.push(word, args[++at] ?? "");
    else if (!word.startsWith("--"))
      options.push(
        ...[...word.slice(1)].filter((letter) => /[aefnuvxCc]/.test(letter)).map((letter) => word[0] + letter),
      );
  }
  const isText = options.includes("-c");
  const set = options.filter((option) => option !== "-c");
  const rest = args.slice(at);
  const begin = set.length === 0 ? "" : `set ${quoted(set)}\n`;
  if (isText) {
    if (rest.length === 0) return failed("bash: -c: option requires an argument", 2);
    const [text, name = "bash", ...words] = rest;
    return inside(context, begin + text, name, words);
  }
  if (rest.length === 0)
    return context.stdin.trim() === "" ? { stdout: "", stderr: "", exitCode: 0 } : fromInput(context, begin);
  const path = context.fs.resolvePath(context.cwd, rest[0]);
  const shown = rest[0].includes("/") ? rest[0] : `./${rest[0]}`;
  const found = await context.fs.stat(path).catch(() => null);
  if (found === null) return failed(`bash: ${rest[0]}: No such file or directory`, 127);
  if (found.isDirectory) return failed(`bash: ${rest[0]}: Is a directory`, 126);
  if (begin !== "") return inside(context, `${begin}. ${quoted([path, ...rest.slice(1)])}`, path, rest.slice(1));
  // As a program of its own, whatever its mode.
  await context.fs.chmod(path, found.mode | 0o111);
  try {
    return await context.execWithInheritedStdin(exporting(context) + quoted([shown, ...rest.slice(1)]), {
      cwd: context.cwd,
      signal: context.signal,
    });
  } finally {
    await context.fs.chmod(path, found.mode).catch(() => {});
  }
}

/** A text: `$0` and the arguments are its own, and so is its end. */
function inside(context, text, name, words) {
  const all = words.join(" ");
  const env = { 0: name, "#": String(words.length), "@": all, "*": all };
  for (const [index, word] of words.entries()) env[index + 1] = word;
  return context.execWithInheritedStdin(exporting(context) + text, { cwd: context.cwd, signal: context.signal, env });
}

const decoder = new TextDecoder();

/** The input is the text, and nothing of it is left to read. */
function fromInput(context, begin) {
  const text = decoder.decode(Uint8Array.from(context.stdin, (char) => char.charCodeAt(0)));
  const { cwd, signal, exec } = context;
  return exec(exporting(context) + begin + text, { cwd, signal, stdin: "", env: { 0: "bash" } });
}

/** What the caller exported is exported there, too. On the line of what follows: lines are told. */
function exporting({ exportedEnv = {} }) {
  const words = Object.entries(exportedEnv).flatMap(([name, value]) => (name === "OLDPWD" ? [] : [`${name}=${value}`]));
  return words.length === 0 ? "" : `export ${quoted(words)}; `;
}

async function withEnvironment(args, context) {
  const env = { ...context.exportedEnv };
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? [];
    if (name !== undefined) env[name] = value;
    else if (word === "-i" || word === "-") for (const each of Object.keys(env)) delete env[each];
    else if (word === "-u") delete env[args[++at]];
    else if (word === "-S") args.splice(at + 1, 1, ...(args[at + 1] ?? "").split(/\s+/));
    else if (word === "--") {
      at++;
      break;
    } else break;
  }
  if (at >= args.length)
    return {
      stdout: Object.entries(env)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
      stderr: "",
      exitCode: 0,
    };
  const path = env.PATH ?? "/usr/bin:/bin";
  const exports = Object.entries({ ...env, PATH: path }).map(([name, value]) => `${name}=${value}`);
  const drop = Object.keys(context.exportedEnv ?? {}).filter((name) => !(name in env) && name !== "PATH");
  const before = `${drop.length > 0 ? `unset ${quoted(drop)}; ` : ""}export ${quoted(exports)}; `;
  return context.execWithInheritedStdin(before + quoted(args.slice(at)), { cwd: context.cwd, signal: context.signal });
}

async function printEnvironment(args, { exportedEnv = {} }) {
  const names = args.filter((word) => !word.startsWith("-"));
  const told =
    names.length === 0
      ? Object.entries(exportedEnv).map(([name, value]) => `${name}=${value}`)
      : names.flatMap((name) => exportedEnv[name] ?? []);
  return { stdout: told.map((line) => `${line}\n`).join(""), stderr: "", exitCode: told.length < names.length ? 1 : 0 };
}
