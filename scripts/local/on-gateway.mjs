// Runs scripts of packages through `execute_skill_script` of a temporary gateway, with the executor of `npm start -- --executor`.

import { startTemporaryGateway } from "../kit/temporary-gateway.mjs";
import { packed } from "./on-bench.mjs";

/** Each attempt waits for Python on its own. */
const ATTEMPTS = 20;

/**
 * Starts the gateway. Fails if it has no executor, because the comparison would then say nothing about packages and programs.
 * @returns {Promise<{ verdicts: (files: object) => Promise<object[]>, run: (given: object) => Promise<object>, close: () => Promise<void> }>}
 * `verdicts` publishes the files as a skill, which `run` then uses
 */
export async function openGatewayForScripts() {
  const gateway = await startTemporaryGateway(() => {}, ["--executor"]);
  const send = async (route, init = {}) => {
    const headers = { authorization: `Bearer ${gateway.key}`, ...init.headers };
    const response = await fetch(new URL(route, gateway.url), { ...init, headers });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const post = (route, body) =>
    send(`/api/v1/conversations/${route}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { body: health } = await send("/health");
  if (health.checks.executor !== "ok") {
    await gateway.stop();
    throw new Error(`The gateway has no executor: ${health.issues?.map(({ message }) => message).join(" ")}`);
  }
  let published = 0;
  /** The name of the skill that was published last, and of its conversation. */
  let name = "";

  return {
    async verdicts(files) {
      name = `corpus-${published++}`;
      const form = new FormData();
      form.set("file", new Blob([packed(files, name)], { type: "application/zip" }), "skill.zip");
      const { status, body } = await send("/api/v1/kinds/skills/public", { method: "POST", body: form });
      if (status >= 400) throw new Error(`Publishing: ${status} ${JSON.stringify(body).slice(0, 1_000)}`);
      await post(`${name}/turns`, { conversation: {} });
      return body.status.scripts ?? [];
    },

    async run({ script, args = [], input = "", files_in = {}, given = {} }) {
      const files = Object.entries({ ...files_in, ...given }).map(([place, text]) => ({
        path: place.replace("/workspace/", ""),
        base64: Buffer.from(text).toString("base64"),
      }));
      const call = { skill_name: name, script_path: script, args, input, files };
      const body = { calls: [{ id: crypto.randomUUID(), name: "execute_skill_script", arguments: call }] };
      for (let attempt = 1; ; attempt++) {
        const answer = await post(`${name}/tool-calls`, body);
        // Python is built in the background after the first start.
        if (answer.status === 503 && attempt < ATTEMPTS) continue;
        if (answer.status >= 400) return refused(JSON.stringify(answer.body));
        const [result] = answer.body.results;
        const { exit_code, stdout, stderr, files: written = [], executor } = result.structuredContent ?? {};
        if (exit_code === undefined) return refused(result.content.map(({ text }) => text).join("\n"));
        const contents = await Promise.all(written.map(async ({ path, address }) => [path, await download(address)]));
        return { exit: exit_code, stdout, stderr, files: Object.fromEntries(contents), executor };
      }
    },

    close: () => gateway.stop(),
  };

  async function download(address) {
    const headers = { authorization: `Bearer ${gateway.key}` };
    const response = await fetch(new URL(address, gateway.url), { headers });
    return Buffer.from(await response.arrayBuffer()).toString("base64");
  }
}

const refused = (stderr) => ({ exit: null, stdout: "", stderr, files: {} });
