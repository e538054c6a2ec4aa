// Starts a gRPC server, and examples/grpc-bridge.mjs in front of it.

import { copyFile } from "node:fs/promises";
import path from "node:path";
import { loadPackageDefinition, Server, ServerCredentials } from "@grpc/grpc-js";
import { load } from "@grpc/proto-loader";

const here = import.meta.dirname;
const proto = path.join(here, "greeter.proto");
const { trial } = loadPackageDefinition(await load(proto, { longs: String, enums: String, defaults: true }));
const server = new Server();
server.addService(trial.Greeter.service, {
  Greet({ request: { name, mood, ports } }, done) {
    const at = ports.map((port) => `${port.name} with ${port.berths} berths`);
    done(null, { text: `Hello ${name}, the sea is ${mood} at ${at.join(", ")}.` });
  },
  Watch: (call) => call.end(),
});
const port = await new Promise((resolve, reject) => {
  const bound = (error, given) => (error === null ? resolve(given) : reject(error));
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
});

// Copied, so that it finds the packages of the trials.
const bridge = path.join(here, "node_modules", "grpc-bridge.mjs");
await copyFile(path.join(here, "..", "..", "..", "examples", "grpc-bridge.mjs"), bridge);
process.argv.splice(2, Number.POSITIVE_INFINITY, proto, `127.0.0.1:${port}`);
await import(bridge);
