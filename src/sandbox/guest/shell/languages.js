// Implements `python3` and `node` in a shell script. The gateway runs them in the isolates of these languages with the current files, and
// the changed files are copied back.

const decoder = new TextDecoder();
const latin1 = (text) => Uint8Array.from(text, (char) => char.charCodeAt(0));

export function otherLanguages(run) {
  const python = {
    language: "python",
    ending: ".py",
    version: "import platform; print('Python', platform.python_version())",
  };
  const node = { language: "javascript", ending: ".js", version: "console.log(process.version)" };
  const commands = {
    python3: [python, readPython],
    python: [python, readPython],
    node: [node, readNode],
    nodejs: [node, readNode],
  };
  return Object.entries(commands).map(([name, [language, read]]) => ({
    name,
    execute: async (args, context) => {
      const asked = await read(name, args, context, language, run);
      return typeof asked === "string"
        ? { stdout: "", stderr: `${asked}\n`, exitCode: 2 }
        : execute(run, context, language, asked);
    },
  }));
}

/** Options without an effect here. */
const PYTHON_IDLE = /^-[BEIOPRSbdiqsuvx]+$/;
const NODE_IDLE =
  /^--(?:no-warnings|no-deprecation|trace-\w+|enable-source-maps|unhandled-rejections=\w+|experimental-[\w-]+|max-old-space-size=\d+)$/;

function readPython(name, args, context, { version }, { fs }) {
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const rest = args.slice(at + 1);
    if (word === "-c")
      return rest.length === 0 ? `${name}: -c takes a text` : { text: rest[0], argv: ["-c", ...rest.slice(1)] };
    if (word === "-m") {
      if (rest.length === 0) return `${name}: -m takes a module`;
      return {
        text: `import runpy\nrunpy.run_module(${JSON.stringify(rest[0])}, run_name="__main__", alter_sys=True)`,
        argv: ["-m", ...rest.slice(1)],
      };
    }
    if (word === "-V" || word === "--version") return { text: version, argv: ["-c"] };
    if (word === "-W" || word === "-X") at++;
    else if (word === "-") return fromInput(context, ["-", ...rest]);
    else if (!PYTHON_IDLE.test(word))
      return word.startsWith("-") ? `${name}: there is no option ${word}` : fromFile(fs, context, word, rest);
  }
  return fromInput(context, [""]);
}

function readNode(name, args, context, { version }, { fs }) {
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const rest = args.slice(at + 1);
    if (/^(?:-e|--eval|-p|--print|-pe)$/.test(word)) {
      if (rest.length === 0) return `${name}: ${word} takes a text`;
      const text = word.includes("p") ? `console.log((${rest[0].trim().replace(/;$/, "")}\n))` : rest[0];
      return { text, argv: rest.slice(1).filter((each, index) => index > 0 || each !== "--") };
    }
    if (word === "-v" || word === "--version") return { text: version, argv: [] };
    if (word === "-r" || word === "--require") at++;
    else if (word === "-" || word === "--") {
      if (word === "--" && rest.length > 0) return fromFile(fs, context, rest[0], rest.slice(1));
      return fromInput(context, ["-", ...rest]);
    } else if (word.startsWith("--input-type=")) continue;
    else if (!NODE_IDLE.test(word))
      return word.startsWith("-") ? `${name}: there is no option ${word}` : fromFile(fs, context, word, rest);
  }
  return fromInput(context, []);
}

/** The script is read from standard input, which is empty afterwards. */
const fromInput = (context, argv) => ({ text: decoder.decode(latin1(context.stdin)), argv, input: "" });

function fromFile(fs, context, word, argv) {
  return { file: fs.resolvePath(context.cwd, word), argv };
}

async function execute(run, context, { language }, { text, file, argv, input }) {
  const { fs, host, signal } = run;
  const files = [...fs.apart()];
  const path = file === undefined ? undefined : await fs.realpath(file).catch(() => file);
  const ask = {
    language,
    ...(text === undefined ? { file: path } : { text }),
    args: argv,
    input: input ?? decoder.decode(latin1(context.stdin)),
    cwd: context.cwd,
    folders: fs.folders(),
    gone: fs.gone(),
    env: context.exportedEnv ?? {},
  };
  const { value, error } = await host.execute(JSON.stringify(ask), files);
  if (signal.aborted) return { stdout: "", stderr: "", exitCode: 124 };
  if (error !== undefined) return { stdout: "", stderr: `${error}\n`, exitCode: 126 };
  for (const gone of value.removed) await fs.rm(gone, { force: true });
  for (const { path: written, bytes } of value.files) fs.place(written, bytes);
  return { stdout: value.stdout, stderr: value.stderr, exitCode: value.exit };
}
