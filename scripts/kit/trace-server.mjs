// Runs the telemetry server of Genkit, a receiver of other authors that stores traces which it receives over OTLP, and reads them back.
// usage: node scripts/kit/trace-server.mjs <folder of the trial's packages> <folder of its files> <port>

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "./refusal.mjs";

const HERE = fileURLToPath(import.meta.url);
/** Attempts to reach the server, 250 ms apart. */
const ATTEMPTS = 120;

async function serve(packages, files, port) {
  const require = createRequire(path.join(packages, "package.json"));
  const { startTelemetryServer, LocalFileTraceStore, LocalFileLogStore } = require("@genkit-ai/telemetry-server");
  const places = { storeRoot: files, indexRoot: files };
  await startTelemetryServer({
    port,
    traceStore: new LocalFileTraceStore(places),
    logStore: new LocalFileLogStore(places),
  });
}

/**
 * Starts the server in its own process.
 * @param {string} packages the folder in which its package is installed
 * @param {string} files an empty folder
 * @returns {Promise<{ endpoint: string, spans(): Promise<object[]>, stop(): void }>} `endpoint`: the address for OTLP. `spans`: what it
 * has stored, with the fields of its own API
 */
export async function startTraceServer(packages, files) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [HERE, packages, files, String(port)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const read = async (route) => {
    const answer = await fetch(url + route);
    if (!answer.ok) throw new Refusal(`The telemetry server returned ${answer.status} for ${route}.`);
    return answer.json();
  };
  const spans = async () => {
    const { traces } = await read("/api/traces?limit=100");
    const whole = await Promise.all(traces.map(({ traceId }) => read(`/api/traces/${traceId}`)));
    return whole.flatMap((trace) => Object.values(trace.spans));
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const isUp = await fetch(`${url}/api/__health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { endpoint: `${url}/api/otlp`, spans, stop: () => child.kill("SIGKILL") };
    await new Promise((done) => setTimeout(done, 250));
  }
  child.kill("SIGKILL");
  throw new Refusal("The telemetry server did not start.");
}

function freePort() {
  return new Promise((done, failed) => {
    const server = createServer().once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

if (process.argv[1] === HERE) {
  const [, , packages, files, port] = process.argv;
  await serve(packages, files, Number(port));
}
