// Loads the modules of a run: the package's CommonJS and ES modules, as functions that are called again for every run, and Node's own.

import nodePath from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { makeBuiltins } from "./builtins.js";

const TEXT = "[eval]";
const ENDINGS = [".js", ".json", ".cjs", ".mjs", ".ts", ".cts", ".mts"];

export function makeModules({ run, fs, functions, load }) {
  const { skill } = run.limits;
  const cache = Object.create(null);
  const esm = new Map();
  let mainModule;
  const textPath = run.asked.text === undefined ? null : `${run.process.cwd()}/${TEXT}`;

  const isFile = (path) => fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const readJson = (path) => (isFile(path) ? JSON.parse(fs.readFileSync(path, "utf8").replace(/^\uFEFF/, "")) : null);

  function fileOf(path) {
    for (const ending of ["", ...ENDINGS]) if (isFile(path + ending)) return path + ending;
    const typed = path.replace(/\.([cm]?)js$/, ".$1ts");
    if (typed !== path && isFile(typed)) return typed;
    const main = readJson(`${path}/package.json`)?.main;
    const named = typeof main === "string" ? fileOf(nodePath.join(path, main)) : null;
    if (named !== null) return named;
    for (const ending of ENDINGS) if (isFile(`${path}/index${ending}`)) return `${path}/index${ending}`;
    return null;
  }

  function resolve(specifier, from) {
    const asked = String(specifier);
    const path = asked.startsWith("file:") ? fileURLToPath(asked) : asked;
    const isPath = /^\.{0,2}\/|^\.{1,2}$/.test(path);
    // npm packages are not available: a skill bundles its dependencies.
    const found = isPath ? fileOf(nodePath.resolve(nodePath.dirname(from), path)) : null;
    if (found !== null) return found;
    throw Object.assign(new Error(`Cannot find module '${asked}'\nRequire stack:\n- ${from}`), {
      code: "MODULE_NOT_FOUND",
      requireStack: [from],
    });
  }

  function functionOf(path) {
    // Source text has a name that no file can have.
    const name = path === textPath ? TEXT : path.startsWith(`${skill}/`) ? path.slice(skill.length + 1) : path;
    const made = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (made?.fault !== undefined) throw new SyntaxError(`${path}: ${made.fault}`);
    if (made === undefined)
      throw Object.assign(
        new Error(`'${path}' is no module of the package: code that is written at run time does not run here.`),
        { code: "ERR_NOT_IN_PACKAGE" },
      );
    return { ...made, call: load(made.name) };
  }

  const builtins = makeBuiltins({ run, fs, createRequire: (from) => makeRequire(pathOf(from)) });
  run.builtin = builtins.get;
  const pathOf = (from) => (String(from).startsWith("file:") ? fileURLToPath(from) : String(from));

  function makeRequire(from) {
    const require = (specifier) => {
      if (typeof specifier !== "string")
        throw Object.assign(new TypeError(`The "id" argument must be of type string. Received ${typeof specifier}`), {
          code: "ERR_INVALID_ARG_TYPE",
        });
      const builtin = builtins.get(specifier);
      if (builtin !== undefined) return builtin;
      if (specifier.startsWith("node:")) throw unknownBuiltin(specifier);
      return requireFile(resolve(specifier, from), from);
    };
    require.resolve = Object.assign((specifier) => (builtins.has(specifier) ? specifier : resolve(specifier, from)), {
      paths: () => [],
    });
    return Object.assign(require, { cache, main: mainModule, extensions: { ".js": null, ".json": null } });
  }

  function requireFile(path) {
    if (cache[path] !== undefined) return cache[path].exports;
    if (path.endsWith(".json")) {
      cache[path] = moduleOf(path, readJson(path));
      return cache[path].exports;
    }
    const made = functionOf(path);
    if (made.kind === "module") return requireEsm(path);
    return commonJs(path, made).exports;
  }

  const moduleOf = (path, exports) => ({
    id: path,
    filename: path,
    path: nodePath.dirname(path),
    exports,
    loaded: true,
    children: [],
    paths: [],
  });

  function commonJs(path, made) {
    const module = { ...moduleOf(path, {}), loaded: false };
    cache[path] = module;
    mainModule ??= module;
    if (mainModule === module) module.id = ".";
    const require = makeRequire(path);
    module.require = require;
    try {
      made.call(dynamic(path)).call(module.exports, module.exports, require, module, path, module.path);
    } catch (error) {
      delete cache[path];
      throw error;
    }
    module.loaded = true;
    return module;
  }

  function requireEsm(path) {
    const record = esModule(path);
    if (record.waiting !== null)
      throw Object.assign(new Error(`require() cannot be used on an ESM graph with top-level await: ${path}`), {
        code: "ERR_REQUIRE_ASYNC_MODULE",
      });
    return record.namespace;
  }

  const dynamic = (from) => async (specifier) => {
    const record = importFrom(String(specifier), from);
    await record.waiting;
    return record.namespace;
  };

  /** Returns the namespace of an imported module, and its promise if it is asynchronous. */
  function importFrom(specifier, from) {
    const builtin = builtins.get(specifier);
    if (builtin !== undefined) return { namespace: namespaceOf(builtin), waiting: null };
    if (specifier.startsWith("node:")) throw unknownBuiltin(specifier);
    let path;
    try {
      path = resolve(specifier, from);
    } catch (error) {
      const what = /^[./]|^file:/.test(specifier)
        ? `module '${nodePath.resolve(nodePath.dirname(from), specifier)}'`
        : `package '${specifier}'`;
      throw Object.assign(new Error(`Cannot find ${what} imported from ${from}`), {
        code: "ERR_MODULE_NOT_FOUND",
        cause: error,
      });
    }
    if (!path.endsWith(".json") && functionOf(path).kind === "module") return esModule(path);
    return { namespace: namespaceOf(requireFile(path)), waiting: null };
  }

  function esModule(path) {
    const before = esm.get(path);
    if (before !== undefined) return before;
    const made = functionOf(path);
    const record = { namespace: Object.create(null), waiting: null };
    Object.defineProperty(record.namespace, Symbol.toStringTag, { value: "Module" });
    esm.set(path, record);
    const isMain = mainModule === undefined;
    if (isMain) mainModule = { ...moduleOf(path, record.namespace), id: "." };
    const url = pathToFileURL(path).href;
    const meta = Object.assign(Object.create(null), {
      dirname: nodePath.dirname(path),
      filename: path,
      main: isMain,
      url,
    });
    meta.resolve = (specifier) => (builtins.has(specifier) ? specifier : pathToFileURL(resolve(specifier, path)).href);
    const imported = [];
    let stars = () => [];
    const exporter = (getters, starred) => {
      const named = Object.entries(getters).sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [name, get] of named) Object.defineProperty(record.namespace, name, { enumerable: true, get });
      stars = starred;
    };
    // `plain(value)(…)` calls an imported function without `this`.
    const plain = (value) => value;
    const body = made.call.call(undefined, imported, exporter, dynamic(path), meta, plain);
    // Registers exports first, then imports, then runs the body, so that circular imports work.
    body.next();
    const needed = made.imports.map((specifier) => {
      const found = importFrom(specifier, path);
      imported.push(found.namespace);
      return found;
    });
    const finish = () => {
      for (const namespace of stars())
        for (const name of Object.keys(namespace))
          if (name !== "default" && !(name in record.namespace))
            Object.defineProperty(record.namespace, name, { enumerable: true, get: () => namespace[name] });
      return body.next();
    };
    const waits = needed.filter(({ waiting }) => waiting !== null);
    if (waits.length === 0 && !made.isAsync) finish();
    else {
      record.waiting = Promise.all(waits.map(({ waiting }) => waiting))
        .then(finish)
        .then(() => {});
      record.waiting.catch(() => {});
    }
    return record;
  }

  return {
    /** Runs the script. Resolves to the default export of a module, if any. */
    async main(file) {
      const path = textPath ?? file;
      const made = functionOf(path);
      if (made.kind === "commonjs") {
        commonJs(path, made);
        return undefined;
      }
      const record = esModule(path);
      await record.waiting;
      return record.namespace.default;
    },
  };
}

function unknownBuiltin(specifier) {
  return Object.assign(new Error(`No such built-in module: ${specifier}`), { code: "ERR_UNKNOWN_BUILTIN_MODULE" });
}

/** Returns an object with a module's importable keys and the whole module as `default`. */
function namespaceOf(exports) {
  const namespace = Object.create(null);
  if (exports !== null && (typeof exports === "object" || typeof exports === "function"))
    for (const name of Object.keys(exports))
      Object.defineProperty(namespace, name, { enumerable: true, get: () => exports[name] });
  Object.defineProperty(namespace, "default", { enumerable: true, value: exports });
  return namespace;
}
