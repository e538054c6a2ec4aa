// Measures the requests that need no key against an unknown path: alone, and with five clients that send them while another user works. A
// caller without a key must not slow down others more than with 404 responses.

import http from "node:http";
import { median, percentiles } from "../measure.mjs";

const USER = "open";
const NOWHERE = "/nowhere";
const ROUTES = {
  health: "/health",
  "sign-in metadata": "/.well-known/oauth-protected-resource",
  "a route without a key": "/api/v1/me",
  "a preflight": "/api/v1/me",
};
const CLIENTS = 5;
const CROWD_MS = 8_000;

export async function run({ gateway, passes, seconds }) {
  const more = {
    "a preflight": { method: "OPTIONS", headers: { origin: "https://a.test", "access-control-request-method": "GET" } },
  };
  const results = [];
  for (const [name, route] of Object.entries(ROUTES)) {
    results.push({ name: `${name}, against a 404`, budget: 3, ...(await sideBySide(gateway, route, more[name])) });
  }
  for (const name of ["health"]) {
    const times = { floor: await crowded(gateway, NOWHERE), path: await crowded(gateway, ROUTES[name]) };
    const ratio = times.path.p50 / times.floor.p50;
    results.push({ name: `another's request, ${CLIENTS} clients on: ${name}`, budget: 1.5, ...times, ratio });
  }
  return results;

  /** Requests the route and a 404 alternately, over one connection. */
  async function sideBySide({ url }, route, options) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const measured = [];
    for (let pass = 0; pass <= passes; pass++) {
      const times = { floor: [], path: [] };
      const until = performance.now() + (pass === 0 ? 500 : seconds * 1_000);
      while (performance.now() < until) {
        times.floor.push((await get(url, NOWHERE, { agent })).ms);
        times.path.push((await get(url, route, { ...options, agent })).ms);
      }
      // The first one is a warm-up.
      if (pass > 0) measured.push({ floor: percentiles(times.floor), path: percentiles(times.path) });
    }
    agent.destroy();
    const ratios = measured.map(({ floor, path }) => path.p50 / floor.p50);
    const all = (side) => ({
      p50: median(measured.map((times) => times[side].p50)),
      p99: median(measured.map((times) => times[side].p99)),
    });
    const spread = [Math.min(...ratios), Math.max(...ratios)];
    return { floor: all("floor"), path: all("path"), ratio: median(ratios), spread };
  }
}

/** Returns the duration of a user's requests while clients without a key request one path as fast as they can. */
async function crowded(gateway, route) {
  const asked = await gateway.request(USER, "GET", "/api/v1/me");
  let over = false;
  const crowd = Array.from({ length: CLIENTS }, async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!over) await get(gateway.url, route, { agent });
    agent.destroy();
  });
  const times = [];
  const until = performance.now() + CROWD_MS;
  while (performance.now() < until) times.push((await gateway.send(asked)).ms);
  over = true;
  await Promise.all(crowd);
  return percentiles(times);
}

/** Returns one response with any status. */
function get(url, route, { method = "GET", headers = {}, agent } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const sent = http.request(
      { agent, host: url.hostname, port: url.port, method, path: route, headers },
      (response) => {
        response.on("error", reject);
        response.on("end", () => resolve({ ms: performance.now() - started, headers: response.headers }));
        response.resume();
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}
