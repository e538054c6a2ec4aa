// Cleanup of sign-in data by the hourly job: which rows it deletes and which it retains.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { scheduled } from "../../src/cron";
import { call, keyFor } from "../support/call";
import { allow, BACK, Browser, openPage, register } from "../support/sign-in";

const count = async (table: string) =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;
const counts = async () => [await count("sign_ins"), await count("sign_in_links"), await count("oauth_clients")];
const older = (table: string, hours: number) =>
  env.DB.prepare(`UPDATE ${table} SET expires_at = expires_at - ${hours * 3_600_000}`).run();

it("deletes pages and links after minutes, unapproved clients after a day, and approved ones after half a year", async () => {
  const browser = new Browser();
  const approved = await register({ client_name: "Approved" });
  await register({ client_name: "Never used", redirect_uris: [`${BACK}/other`] });
  await allow(browser, await openPage(browser, { client_id: approved }), await keyFor("swept"));
  await call("POST", "/api/v1/sign-ins", { json: { user_id: "swept" } });
  await scheduled(createScheduledController(), env);
  expect(await counts()).toEqual([1, 1, 2]);
  for (const table of ["sign_ins", "sign_in_links", "oauth_clients"]) await older(table, 25);
  await scheduled(createScheduledController(), env);
  expect(await counts()).toEqual([0, 0, 1]);
  await register({ client_name: "Approved" });
  await older("oauth_clients", 178 * 24);
  await scheduled(createScheduledController(), env);
  expect(await counts()).toEqual([0, 0, 1]);
  await older("oauth_clients", 24);
  await scheduled(createScheduledController(), env);
  expect(await counts()).toEqual([0, 0, 0]);
});
