// The bench for skill authors: the gateway's package reader, compiler and sandbox behind one request.

import { decodeBase64, encodeBase64 } from "../../src/domain/base64";
import { runnable, runnableScripts } from "../../src/domain/code/compiled";
import { findModule, findPython } from "../../src/domain/code/graph";
import { languageOf, shebangLanguage } from "../../src/domain/code/language";
import { fileNotStored, readInputFiles } from "../../src/domain/code/script-files";
import { PARALLEL } from "../../src/domain/code/script-limits";
import type { JsonObject, JsonValue } from "../../src/domain/json";
import { readPackage } from "../../src/domain/package/package";
import { argumentProblems } from "../../src/domain/tools/arguments";
import { readArguments } from "../../src/domain/tools/builtin";
import { compileInIsolate } from "../../src/sandbox/compiling";
import { executors } from "../../src/sandbox/executors";
import type { HostParts } from "../../src/sandbox/host";
import { callTool, describeProvider, timeoutOf } from "../../src/sandbox/provider";
import { isPython } from "../../src/sandbox/python/executor";
import { Slots } from "../../src/sandbox/slots";
import { countPackageTokens, findingsIn } from "../../src/services/registry/publish-report";

interface Bench {
  LOADER: WorkerLoader;
  ASSETS: Fetcher;
}

/** The request of scripts/skill.mjs, sent with the package's ZIP. */
interface Asked {
  fileName: string;
  /** The tool or script to call; without it, the package is only checked. */
  call?: string;
  arguments: JsonObject;
  /** The files that exist when a script begins: base64 by full path. */
  files?: Record<string, string>;
  /** The answer of the user's page to every request. */
  answer?: JsonValue;
}

export default {
  async fetch(request: Request, env: Bench): Promise<Response> {
    const form = await request.formData();
    const [asking, file] = [form.get("asked"), form.get("file")];
    if (typeof asking !== "string" || !(file instanceof File)) return new Response(null, { status: 400 });
    const asked: Asked = JSON.parse(asking);
    const {
      package: found,
      issues,
      warnings,
    } = await readPackage(new Uint8Array(await file.arrayBuffer()), {
      fileName: asked.fileName,
    });
    if (found === null) return Response.json({ issues, warnings });
    const compiled = await compileInIsolate({ loader: env.LOADER, assets: env.ASSETS }, found);
    const { manifest, digest, files, name } = found;
    const paths = files.map((file) => file.path);
    const code = compiled.code;
    const named = manifest.provider?.module;
    const path = named === undefined ? null : (findModule(named, paths) ?? findPython(named, paths));
    const source = {
      assets: env.ASSETS,
      readZip: async () => found,
      readScripts: async () => (code === null ? null : runnableScripts(code)) ?? "the package has no code",
    };
    const python = path !== null && isPython(path) ? source : undefined;
    const load = async () => (code === null ? "the package has no code" : runnable(code, path ?? ""));
    const className = manifest.provider?.class;
    const provider =
      path === null || className === undefined
        ? null
        : { digest, path, className, config: manifest.config, load, python };

    const isolates = { loader: env.LOADER, slots: new Slots(PARALLEL.request) };
    if (asked.call === undefined) {
      const [tokens, { described }] = await Promise.all([
        countPackageTokens({ assets: env.ASSETS }, found),
        provider === null
          ? { described: { tools: [], problems: {} } }
          : describeProvider(isolates, provider, name, manifest.tools, null),
      ]);
      return Response.json({
        ...{
          issues,
          warnings: [...warnings, ...compiled.warnings, ...findingsIn(found)],
          name,
          version: manifest.version ?? null,
        },
        ...{ tokens, tools: described.tools, problems: described.problems, files: paths },
        scripts: compiled.scripts,
      });
    }

    const logs: string[] = [];
    const requests: JsonValue[] = [];
    const host: Omit<HostParts, "deadline"> = {
      readFile: async (each) => {
        const file = files.find((candidate) => candidate.path === each);
        return file === undefined ? null : found.zip.slice(file.offset, file.offset + file.size);
      },
      log: (text) => logs.push(text),
      // The result already contains this.
      ended: () => {},
      browserLink: {
        request: async ({ action, payload }) => {
          requests.push({ request: action, payload });
          if (asked.answer === undefined)
            return { success: false, error: "No page is connected to the bench. Pass its answer with --answer." };
          return { success: true, result: asked.answer };
        },
        emit: (action, payload) => requests.push({ emit: action, payload }),
      },
    };
    const context = { taskId: "bench", subtaskId: 1, userId: "author", userName: "author", skillName: name };
    const { signal } = new AbortController();
    const tool = manifest.tools.find((candidate) => candidate.name === asked.call);
    if (tool !== undefined && provider !== null) {
      const { described } = await describeProvider(isolates, provider, name, [tool], null);
      const call = { tool, shown: tool.name, arguments: asked.arguments, context };
      const result =
        argumentProblems(tool.name, described.tools[0]?.inputSchema ?? {}, asked.arguments) ??
        (await callTool(isolates, provider, call, host, signal));
      return Response.json({ result, logs, told: requests });
    }
    const script = asked.call.replace(/^\.\//, "");
    const place = files.find(({ path: each }) => each === script);
    const beginning = new TextDecoder().decode(found.zip.subarray(place?.offset ?? 0, (place?.offset ?? 0) + 200));
    const language = languageOf(script) ?? (script.includes(".") ? null : shebangLanguage(beginning));
    if (place === undefined || language === null)
      return Response.json({ problem: `'${asked.call}' is neither a tool nor a script of ${name}.` });
    const read = readArguments("execute_skill_script", { ...asked.arguments, skill_name: name, script_path: script });
    if ("problem" in read) return Response.json({ problem: read.problem });
    const { args, input, files: asksFor } = read.args;
    const { given, issues: wrong } = readInputFiles(asksFor ?? []);
    // Files are not stored here, as in a gateway without a conversation.
    wrong.push(...given.flatMap(({ content, field }) => ("kept" in content ? [fileNotStored(field)] : [])));
    if (wrong.length > 0)
      return Response.json({ problem: wrong.map(({ path, message }) => `${path}: ${message}`).join("\n") });
    const inside = given.flatMap(({ path, content }) => ("bytes" in content ? [{ path, bytes: content.bytes }] : []));
    const beside = Object.entries(asked.files ?? {}).map(([path, text]) => ({ path, bytes: decodeBase64(text) }));
    const call = {
      ...{
        script: { path: script, language },
        digest,
        context,
        config: manifest.config,
        files: [...beside, ...inside],
      },
      args: args ?? [],
      input: input ?? "",
      ms: timeoutOf(manifest.config),
    };
    const all = executors({ ...isolates, ...source, host }, source);
    const run = await all.find((one) => one.runs(call.script))?.run(call, signal);
    const written = (run?.files ?? []).map(({ path, bytes }) => [path, encodeBase64(bytes)]);
    return Response.json({ run: { ...run, files: Object.fromEntries(written) }, logs, told: requests });
  },
};
