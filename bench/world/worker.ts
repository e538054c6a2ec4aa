// The gateway in the simulated world of `test/support/world`, with routes that report what a request waited for and what the answer of a
// page caused.

import gateway, { enter } from "../../test/support/world/main";
import type { Journey, Trip } from "../../test/support/world/trip";
import { type Bindings, World } from "../../test/support/world/world";

export { Conversation } from "../../test/support/world/main";

const MEASURE = "/world/measure";
const PAGE = "/world/page/";
const LAG = "/world/lag/";

const world = new World();
let isEntered = false;

/** Describes a journey briefly: its rounds, its calls and its background work; each part as `worker primary`. */
function shortened({ rounds, awaited, background }: Journey) {
  const leg = ({ who, to }: Trip) => `${who} ${to}`;
  const calls = awaited.filter(({ to }) => to === "object" || to === "r2").map(leg);
  return { rounds: rounds.map((round) => round.map(leg)), calls, background: background.map(leg) };
}

export default {
  async fetch(request: Request, env: Env & Bindings, context: ExecutionContext): Promise<Response> {
    // Created once, because the gateway's caches depend on the bindings.
    if (!isEntered) enter(world, env);
    isEntered = true;
    const url = new URL(request.url);
    const { pathname } = url;
    const ask = (path: string, init: RequestInit) => gateway.fetch(new Request(new URL(path, url), init), env, context);
    if (pathname.startsWith(MEASURE)) {
      const inner = new Request(new URL(pathname.slice(MEASURE.length) + url.search, url), request);
      const { answer, journey } = await world.measure(async () => {
        const response = await gateway.fetch(inner, env, context);
        const { status, headers } = response;
        return { status, text: await response.text(), bookmark: headers.get("x-d1-bookmark") };
      });
      return Response.json({ ...answer, journey: shortened(journey) });
    }
    if (pathname.startsWith(LAG)) {
      world.lag({ ms: Number(pathname.slice(LAG.length)) });
      return Response.json({});
    }
    if (!pathname.startsWith(PAGE)) return gateway.fetch(request, env, context);
    const answers = await answersOf(pathname.slice(PAGE.length), request.headers.get("authorization") ?? "", ask);
    // A frame travels from the page's city to the object without passing a binding.
    return Response.json(answers.map(shortened).map((one) => ({ ...one, calls: ["worker object", ...one.calls] })));
  },
};

/** A page answers two questions of a conversation, the first and a later one. */
async function answersOf(
  id: string,
  authorization: string,
  ask: (path: string, init: RequestInit) => Promise<Response> | Response,
): Promise<Journey[]> {
  const route = `/api/v1/conversations/${id}`;
  const json = { authorization, "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const answer = await ask(route + path, { method: "POST", headers: json, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json<{ ticket: string; request_id: string }>();
  };
  const { ticket } = await post("/tickets", {});
  const headers = { upgrade: "websocket", "sec-websocket-protocol": `skill-gateway.v1, ticket.${ticket}` };
  const { webSocket: socket } = await ask(`${route}/socket`, { headers });
  if (socket === null) throw new Error("no socket");
  const page = listen(socket);
  socket.send(JSON.stringify({ type: "hello" }));
  await page("welcome");
  const journeys: Journey[] = [];
  for (let n = 0; n < 2; n++) {
    const { request_id } = await post("/requests", { action: "draw", wait_ms: 0 });
    await page("skill:request");
    const { journey } = await world.measure(async () => {
      socket.send(JSON.stringify({ type: "skill:response", request_id, success: true, result: n }));
      await page("ack");
    });
    journeys.push(journey);
  }
  socket.close();
  return journeys;
}

/** Waits for frames of a type, in their order. */
function listen(socket: WebSocket): (type: string) => Promise<void> {
  const received: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === "mark") socket.send(String(data));
    received.push(type);
  });
  socket.accept();
  return async (type) => {
    while (!received.includes(type)) await scheduler.wait(1);
    received.splice(received.indexOf(type), 1);
  };
}
