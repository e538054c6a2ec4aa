// Measures a thousand idle pages: the memory they add to workerd (an upper bound, since it includes garbage), all in one conversation and
// each in a separate one. Also measures the first request that wakes a conversation.

import { readdir, readFile } from "node:fs/promises";
import { openSocket } from "../page.mjs";

const USER = "idle";
const PAGES = 1_000;
/** Opened before the counted ones and left open: the heap of a fresh workerd grows with any request. */
const WARM = 500;
/** Opened at once. */
const BATCH = 20;
/** Objects hibernate after ten idle seconds. */
const HIBERNATED_MS = 15_000;

export async function run({ gateway }) {
  const before = await memory();
  // The smaller one first, because a process rarely returns memory.
  const one = await idle(gateway, (n) => `idle-all-${n < WARM}`);
  const own = await idle(gateway, (n) => `idle-${n}`);
  const row = (name, value, unit) => ({ name, value, unit, budget: null });
  return [
    row("workerd before any of it", before / 1024, "MiB"),
    row(`${PAGES} idle pages of one conversation: a page`, one.perPage, "KiB"),
    row(`${PAGES} idle pages, each its own conversation: a page`, own.perPage, "KiB"),
    row("first request to a hibernated conversation and back", own.wake, "ms"),
  ];
}

async function idle(gateway, conversationOf) {
  const names = Array.from({ length: WARM + PAGES }, (_, n) => conversationOf(n));
  for (const name of new Set(names)) await gateway.call(USER, "PUT", `/api/v1/conversations/${name}`, {});
  const sockets = [];
  const open = async (some) => {
    for (let n = 0; n < some.length; n += BATCH) {
      sockets.push(...(await Promise.all(some.slice(n, n + BATCH).map((name) => openIdle(gateway, name)))));
    }
    await new Promise((resolve) => setTimeout(resolve, HIBERNATED_MS));
    return memory();
  };
  try {
    const before = await open(names.slice(0, WARM));
    const perPage = ((await open(names.slice(WARM))) - before) / PAGES;
    if (sockets.some((socket) => socket.readyState !== WebSocket.OPEN)) throw new Error("an idle socket was closed");
    const last = sockets.at(-1);
    last.onmessage = ({ data }) => {
      const { type, request_id } = JSON.parse(data);
      if (type === "skill:request") last.send(JSON.stringify({ type: "skill:response", request_id, success: true }));
    };
    const asked = await gateway.request(USER, "POST", `/api/v1/conversations/${names.at(-1)}/requests`, {
      action: "wake",
    });
    const { ms, text } = await gateway.send(asked);
    if (JSON.parse(text).success !== true) throw new Error(`no answer: ${text}`);
    return { perPage, wake: ms };
  } finally {
    for (const socket of sockets) socket.close();
  }
}

/** Opens a page that connects and then stays idle. */
async function openIdle(gateway, conversation) {
  const { ticket, url } = await gateway.call(USER, "POST", `/api/v1/conversations/${conversation}/tickets`, {});
  const socket = await openSocket(url, ["skill-gateway.v1", `ticket.${ticket}`]);
  await new Promise((resolve, reject) => {
    socket.onmessage = resolve;
    socket.onclose = ({ code, reason }) => reject(new Error(`closed: ${code} ${reason}`));
    socket.send('{"type":"hello"}');
  });
  socket.onmessage = null;
  return socket;
}

/** Returns the memory of this process's workerd in KiB. */
async function memory() {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    if (!/^Name:\s*workerd$/m.test(status) || !new RegExp(`^PPid:\\s*${process.pid}$`, "m").test(status)) continue;
    return Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]);
  }
  throw new Error("no workerd of this process: this row needs Linux");
}
