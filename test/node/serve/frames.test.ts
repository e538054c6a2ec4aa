// Following WebSocket frames, and the closing frame.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { closingFrame, FrameTracker } from "../../../scripts/serve/frames.mjs";

/** A frame of a server with a payload of zeros. */
function frame(size: number): Uint8Array {
  const length =
    size < 126
      ? [size]
      : size < 65_536
        ? [126, size >> 8, size & 255]
        : [127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((bits) => (size >>> bits) & 255)];
  return Uint8Array.from([0x82, ...length, ...new Uint8Array(size)]);
}

it("is between frames exactly at their ends, however the bytes are cut", () => {
  const sizes = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(125, 126, 127, 65_535, 65_536, 70_000));
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 9_000 }), (all, step) => {
      const frames = all.map(frame);
      const ends = new Set<number>();
      let total = 0;
      for (const each of frames) {
        total += each.length;
        ends.add(total);
      }
      const bytes = Buffer.concat(frames);
      const tracker = new FrameTracker();
      for (let at = 0; at < bytes.length; at += step) {
        tracker.push(bytes.subarray(at, at + step));
        expect(tracker.isBetweenFrames).toBe(ends.has(Math.min(at + step, bytes.length)));
      }
    }),
    { numRuns: 60 },
  );
});

it("closes a connection with the code and the reason", async () => {
  const server = createServer();
  server.on("upgrade", ({ headers }, socket) => {
    const digest = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const accept = `Sec-WebSocket-Accept: ${digest.digest("base64")}`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`);
    socket.end(closingFrame("The gateway is stopping."));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const closed = await new Promise<CloseEvent>((resolve) => {
      new WebSocket(`ws://127.0.0.1:${port}`).addEventListener("close", resolve);
    });
    expect([closed.code, closed.reason, closed.wasClean]).toEqual([1012, "The gateway is stopping.", true]);
  } finally {
    server.close();
  }
});
