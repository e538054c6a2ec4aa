// Routes for /api/v1/audit: the audit log.

import { createRoute } from "@hono/zod-openapi";
import { AUDIT_ACTIONS } from "../domain/access/audit";
import { jsonObject } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import { router } from "../edge/router";
import { instant, json, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { readAudit } from "../services/audit";
import type { AuditRow } from "../storage/d1/audit";

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const auditQuery = pageQuery.extend({
  actor: z.string().max(200).optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  resource_type: z.string().max(64).optional(),
  resource_id: z.string().max(300).optional(),
  since: moment.optional().openapi({ type: "string", format: "date-time" }),
  until: moment.optional().openapi({ type: "string", format: "date-time" }),
});

const recordSchema = () =>
  z
    .object({
      seq: z.int(),
      at: z.string(),
      /** A pseudonym. It remains when the user is erased. */
      actor: z.string(),
      user_id: z.string().nullable(),
      key_id: z.string(),
      action: z.string(),
      resource_type: z.string(),
      resource_id: z.string(),
      request_id: z.string(),
      before: jsonObject.nullable(),
      after: jsonObject.nullable(),
    })
    .openapi("AuditRecord");

export const auditRoutes = router();

auditRoutes.openapi(
  createRoute({
    method: "get",
    path: "/audit",
    summary: "Lists audit records, newest first.",
    request: { query: auditQuery },
    responses: {
      200: json("A page of records.", () =>
        z.object({ items: z.array(recordSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...filter } = c.req.valid("query");
    const { rows, nextCursor } = await readAudit(c.get("context"), filter, limit, cursor);
    return c.json({ items: rows.map(wireRecord), next_cursor: nextCursor }, 200);
  },
);

function wireRecord(row: AuditRow): z.infer<ReturnType<typeof recordSchema>> {
  return {
    seq: row.seq,
    at: instant(row.at),
    actor: row.actor,
    user_id: row.userId,
    key_id: row.keyId,
    action: row.action,
    resource_type: row.resourceType,
    resource_id: row.resourceId,
    request_id: row.requestId,
    before: row.before === null ? null : jsonObject.parse(row.before),
    after: row.after === null ? null : jsonObject.parse(row.after),
  };
}
