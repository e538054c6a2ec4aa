// GET /api/v1/conversations/{id}/socket opens the conversation's WebSocket. Keys and ticket signatures are checked here; the Durable Object
// checks whether a ticket is still valid. A rejected page receives a close code, because browsers hide the status of a failed upgrade.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { invalid, refusalIn } from "../../domain/errors";
import { CLOSE_CODE, SUBPROTOCOL } from "../../domain/questions/frame";
import { readTicket, TICKET_PREFIX } from "../../domain/questions/ticket";
import { settingsFrom } from "../../domain/settings/settings";
import { authenticate } from "../../edge/auth";
import { conversation, conversationName, unwrapReply } from "../../edge/conversation";
import { isAllowedOrigin } from "../../edge/cors";
import type { HttpEnv } from "../../edge/edge";
import { problem } from "../../edge/errors";
import { principalRate } from "../../edge/rate";
import { router } from "../../edge/router";
import { conversationId, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { credentialOf } from "../../services/access/credential";
import { unwrap } from "../../services/conversation/api";
import { ADMISSION_HEADER, type Admission, badTicket } from "../../services/questions/admission";
import { isMarked } from "../../services/questions/ticket-mac";

export const socketRoute = router();

socketRoute.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/socket",
    summary: "Opens the conversation's WebSocket.",
    request: { params: z.object({ id: conversationId }) },
    responses: { 101: { description: "The socket. Errors are reported as close codes 44xx." }, ...refusals(400, 404) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    if ((c.req.header("upgrade") ?? "").toLowerCase() !== "websocket") return notAnUpgrade(c, id);
    const offered = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
    try {
      return await open(c, id, offered);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === null) throw error;
      c.set("problem", refusal.reason);
      const brings = c.req.header("authorization") !== undefined || ticketIn(offered) !== undefined;
      c.set("unauthenticated", brings && refusal.code === "unauthenticated");
      return refused(CLOSE_CODE[refusal.code], refusal.message, offered);
    }
  },
);

async function open(c: HonoContext<HttpEnv>, id: string, offered: readonly string[]): Promise<Response> {
  if (!offered.includes(SUBPROTOCOL)) {
    throw invalid(
      [{ code: "NO_SUBPROTOCOL", message: `Sub-protocol missing. Offer \`${SUBPROTOCOL}\`.` }],
      "Offer the sub-protocol skill-gateway.v1.",
    );
  }
  const { userId, admission } = await admissionOf(c, id, offered);
  c.set("conversation", { conversation: id, userId });
  const stub = c.env.CONVERSATIONS.getByName(conversationName(userId, id));
  const headers = { upgrade: "websocket", [ADMISSION_HEADER]: JSON.stringify(admission) };
  const response = await stub.fetch("https://conversation/socket", { headers });
  if (response.status !== 101) unwrap(await response.json());
  return response;
}

/** Returns the admission for the object, and the user whose object it is. */
async function admissionOf(
  c: HonoContext<HttpEnv>,
  id: string,
  offered: readonly string[],
): Promise<{ userId: string; admission: Admission }> {
  const origin = c.req.header("origin") ?? null;
  const from = { origin, allowed: origin !== null && isAllowedOrigin(c.env, origin) };
  const ticket = ticketIn(offered);
  if (ticket !== undefined && c.req.header("authorization") === undefined) {
    const claims = readTicket(ticket);
    if (claims === null || claims.conversation !== id) throw badTicket();
    // Checked before the object is called, because a call creates it.
    if (!(await isMarked(settingsFrom(c.env), claims))) throw badTicket();
    return { userId: claims.userId, admission: { kind: "ticket", ticket, ...from } };
  }
  await enter(c);
  const { caller, settings } = c.get("context");
  const { userId } = caller.principal;
  const credential = await credentialOf(settings, caller.principal);
  const grant = { credential, user_id: userId, origin: null, pinned: false, output: true };
  return { userId, admission: { kind: "key", grant, ...from } };
}

function ticketIn(offered: readonly string[]): string | undefined {
  return offered.find((name) => name.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length);
}

/** Runs the checks that precede every other API route. */
async function enter(c: HonoContext<HttpEnv>): Promise<void> {
  await authenticate(c, async () => {});
  await principalRate(c, async () => {});
}

async function notAnUpgrade(c: HonoContext<HttpEnv>, id: string): Promise<Response> {
  await enter(c);
  const { api, target } = conversation(c, id);
  unwrapReply(c, await api.questions(target, null, 1, undefined));
  return problem(
    c,
    426,
    "UPGRADE_REQUIRED",
    "WebSocket upgrade required. Open this path as a WebSocket.",
    {},
    { upgrade: "websocket" },
  );
}

/** Returns a socket that is closed immediately with a code. */
function refused(code: number, reason: string, offered: readonly string[]): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.close(code, reason);
  const headers = new Headers();
  if (offered.includes(SUBPROTOCOL)) headers.set("sec-websocket-protocol", SUBPROTOCOL);
  return new Response(null, { status: 101, webSocket: client, headers });
}
