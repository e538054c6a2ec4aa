// Runs a local model provider for Chat Completions for the row `chat`, and a client that records when words arrive.

import { once } from "node:events";
import http from "node:http";

const SHELL = { id: "answer", object: "chat.completion.chunk", created: 7, model: "vendor" };
const chunk = (delta, finish_reason = null) => ({ ...SHELL, choices: [{ index: 0, delta, finish_reason }] });
const line = (event) => `data: ${JSON.stringify(event)}\n\n`;
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Returns the answer of the model `<tokens>-<milliseconds>`. */
export const answerOf = (model) =>
  Array.from({ length: Number(model.split("-")[0]) }, (_, n) => `word${n} `)
    .join("")
    .trim();

/**
 * Starts a provider that answers with the given number of words, one per interval in milliseconds. With 0 it sends them as fast as
 * possible.
 */
export async function startVendor() {
  const server = http.createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { model } = JSON.parse(Buffer.concat(parts).toString());
    const [tokens, ms] = model.split("-").map(Number);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(line(chunk({ role: "assistant", content: "" })));
    const word = (n) => line(chunk({ content: `word${n} ` }));
    const end = () =>
      response.end(`${line(chunk({}, "stop"))}${line({ ...SHELL, choices: [], usage: USAGE })}data: [DONE]\n\n`);
    let said = 0;
    if (ms === 0) {
      while (said < tokens) response.write(word(said++));
      return end();
    }
    const timer = setInterval(() => {
      response.write(word(said++));
      if (said < tokens) return;
      clearInterval(timer);
      end();
    }, ms);
    response.on("close", () => clearInterval(timer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Reads a streamed answer. `first` and `last`: milliseconds until the first and last word. */
export function listen(url, agent, { method, route, headers, body }) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const options = { agent, host: url.hostname, port: url.port, method, path: route };
    const sent = http.request({ ...options, headers: { ...headers, "content-length": body.length } }, (response) => {
      let text = "";
      let first = 0;
      let last = 0;
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
        if (!part.includes('"word')) return;
        last = performance.now() - began;
        if (first === 0) first = last;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200 && text.endsWith("[DONE]\n\n")) resolve({ first, last, text });
        else reject(new Error(`${route}: ${response.statusCode} ${text.slice(-500)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
