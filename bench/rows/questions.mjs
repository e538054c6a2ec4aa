// From a caller through the gateway to a page and back: POST /requests, which a connected page answers at once.

import { compare } from "../measure.mjs";
import { openPage, openSocket } from "../page.mjs";

const USER = "asking";
const CONVERSATION = "asking";

export async function run({ gateway, passes, seconds, until }) {
  const route = `/api/v1/conversations/${CONVERSATION}`;
  await gateway.call(USER, "PUT", route, {});
  const page = await openPage(gateway, USER, CONVERSATION);
  const bare = await openSocket(new URL("/floor/ask-socket", gateway.url.href.replace("http", "ws")));
  const payload = { code: "x".repeat(500) };
  const path = {
    async prepare() {
      // Untimed: a socket can send 32 frames per second for a longer time, and a page that answers faster is disconnected.
      await new Promise((resolve) => setTimeout(resolve, 30));
      return gateway.request(USER, "POST", `${route}/requests`, { action: "echo", payload });
    },
    check(answer) {
      if (JSON.parse(answer).success !== true) throw new Error(`no answer: ${answer}`);
    },
  };
  try {
    bare.onmessage = ({ data }) => {
      const { id, payload: asked } = JSON.parse(data);
      bare.send(JSON.stringify({ id, answer: asked }));
    };
    const asked = await compare(
      gateway.send,
      { floor: { prepare: () => gateway.request(USER, "POST", "/floor/ask", payload) }, path },
      { passes, seconds, until },
    );
    const echoed = await compare(
      (request) => (request.echo === undefined ? gateway.send(request) : echo(bare, request.echo)),
      { floor: { prepare: async (n) => ({ echo: `echo:${n}:${payload.code}` }) }, path },
      { passes, seconds, until },
    );
    return [
      { name: "request to the browser and back", budget: 1.4, ...asked },
      { name: "the same, over a bare WebSocket echo through an object", budget: null, ...echoed },
    ];
  } finally {
    page.close();
    bare.close();
  }
}

/** One round trip on an open socket. */
function echo(socket, text) {
  return new Promise((resolve) => {
    const started = performance.now();
    socket.onmessage = ({ data }) => {
      if (data === text) resolve({ ms: performance.now() - started, text });
    };
    socket.send(text);
  });
}
