// Ports of this machine.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a free port below the range that systems use for outgoing connections (Linux from 32768, others from 49152). A port of that range
 * can be in use again before workerd listens.
 */
export async function anyPort() {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    if (await probe(port).then(() => true, isTaken)) return port;
  }
}

function isTaken(error) {
  if (error.code !== "EADDRINUSE") throw error;
  return false;
}

/** Throws if the port cannot be opened now. */
export async function probe(port, host = "127.0.0.1") {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
