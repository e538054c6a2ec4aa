import { describe, expect, it } from "vitest";
import { readTicket, ticketBody, writeTicket } from "../../../src/domain/questions/ticket";
import { parseSettings, type Settings } from "../../../src/domain/settings/settings";
import { isMarked, markTicket } from "../../../src/services/questions/ticket-mac";
import { draftTicket, makeTicket } from "../../../src/services/questions/tickets";
import type { Session } from "../../../src/services/session";
import { contextOf } from "../../support/context";

const ADMIN = "sgw_some_admin_key_for_this_test_only";
const SECRET = "c2VjcmV0cyBvZiB0aGUgcG9vbCBhcmUgbm90IHNlY3I=";
const settingsOf = (variables: Record<string, string>): Settings => parseSettings(variables).settings!;
const whole = settingsOf({ GATEWAY_ADMIN_KEY: ADMIN, SECRETS_KEY: SECRET });
const admin = settingsOf({ GATEWAY_ADMIN_KEY: ADMIN });
const none = settingsOf({});

async function ticketBy(settings: Settings): Promise<string> {
  const body = ticketBody({ userId: "ann", conversation: "c" }, "0".repeat(64));
  return writeTicket(body, await markTicket(settings, body));
}

describe("the mark of a ticket", () => {
  it("is good where the deployment's secret is the same, and nowhere else", async () => {
    for (const [made, asked, good] of [
      [whole, whole, true],
      [admin, admin, true],
      [whole, admin, false],
      [admin, whole, false],
      [none, whole, false],
      [none, admin, false],
    ] as const) {
      expect(await isMarked(asked, readTicket(await ticketBy(made))!)).toBe(good);
    }
  });

  it("is of every character before it", async () => {
    const ticket = await ticketBy(admin);
    const read = readTicket(ticket)!;
    const other = (at: number) =>
      read.body.slice(0, at) + (read.body[at] === "a" ? "b" : "a") + read.body.slice(at + 1);
    for (let at = 0; at < read.body.length; at++) {
      expect(await isMarked(admin, { ...read, body: other(at) })).toBe(false);
    }
    expect(await isMarked(admin, { ...read, mark: `A${read.mark.slice(1)}` })).toBe(read.mark.startsWith("A"));
  });
});

it("without a secret no ticket is made, and a page's resume ticket is one to be refused", async () => {
  const session = { userId: "ann", id: "c" } as Session;
  const request = { origin: null, user_id: null, output: false };
  await expect(makeTicket({ ...contextOf("ann"), settings: none }, session, request)).rejects.toMatchObject({
    code: "unavailable",
    reason: "TICKETS_UNAVAILABLE",
  });
  const { ticket } = await draftTicket(none, session);
  expect(await isMarked(admin, readTicket(ticket)!)).toBe(false);
});
