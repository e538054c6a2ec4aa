// Webhooks in the console in Chromium: create one, copy its secret once, watch deliveries fail, and send them again.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers } from "../axe";
import { open, overflows, signIn } from "./page";
import { Desk } from "./setup";

const desk = new Desk();

/** Requests that a webhook received, and the status of the next answers. */
const received: { headers: Record<string, string>; body: string }[] = [];
let status = 204;
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (data) => {
    body += data;
  });
  request.on("end", () => {
    received.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(status).end();
  });
});
let address: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  receiver.close();
});

it("creates a webhook by the keyboard alone, shows its secret once, and replaces it", async () => {
  const key = await desk.keyOf("ada");
  const page = await desk.enter(key, "/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "Create webhook" }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "Create webhook" });
  await form.waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.type("releases");
  await page.keyboard.press("Tab");
  await page.keyboard.type(address);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  // The second event.
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  const shown = page.getByRole("alertdialog", { name: "Copy the signing secret" });
  const secret = await shown.locator(".secret").innerText();
  expect(secret).toMatch(/^whsec_/);
  expect(await barriers(page)).toEqual([]);
  await shown.getByRole("button", { name: "Done" }).press("Enter");
  await page.getByRole("link", { name: "releases" }).waitFor();
  expect(await page.locator("body").innerText()).not.toContain(secret);
  const events = ["skill.published", "skill.yanked", "skill.unyanked", "skill.deleted"];
  const stored = await desk.as(key, "GET", "/webhooks/releases");
  expect(stored.body).toMatchObject({ url: address, events, enabled: true });

  await page.getByRole("button", { name: "Create webhook" }).click();
  await form.getByRole("textbox", { name: "Name" }).fill("releases");
  await form.getByText("A webhook has this name.").waitFor();
  await form.getByRole("textbox", { name: "Name" }).fill("private");
  await form.getByRole("textbox", { name: "URL" }).fill("https://10.0.0.1/hook");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByText("an IP address is not allowed").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "releases" }).press("Enter");
  await page.getByRole("button", { name: "Replace secret" }).press("Enter");
  await page.getByRole("alertdialog").getByRole("button", { name: "Replace" }).press("Enter");
  const replaced = await shown.locator(".secret").innerText();
  expect(replaced).not.toBe(secret);
  await shown.getByRole("button", { name: "Done" }).click();
  received.length = 0;
  await page.getByRole("button", { name: "Send test event" }).press("Enter");
  await page.getByRole("row").filter({ hasText: "HTTP 204" }).getByText("delivered", { exact: true }).waitFor();
  const [{ headers, body }] = received as [{ headers: Record<string, string>; body: string }];
  expect(new Webhook(replaced).verify(body, headers)).toMatchObject({ type: "webhook.test" });

  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByText("Active: receives events").click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("off", { exact: true }).waitFor();
  expect((await desk.as(key, "GET", "/webhooks/releases")).body).toMatchObject({ events, enabled: false });
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No webhooks yet").waitFor();
});

it("shows why a delivery failed, and sends it again", async () => {
  const key = await desk.keyOf("bea");
  await desk.as(key, "PUT", "/webhooks/broken", { url: address });
  const page = await desk.enter(key, "/webhooks/broken");
  await page.getByText("No deliveries in the last 30 days.").waitFor();
  status = 500;
  await page.getByRole("button", { name: "Send test event" }).click();
  const row = page.getByRole("row").filter({ hasText: "webhook.test" });
  await row.getByText("the receiver answered HTTP 500").waitFor();
  await row.getByText("again at").waitFor();
  expect(await barriers(page)).toEqual([]);
  status = 200;
  received.length = 0;
  await row.getByRole("button", { name: "Resend webhook.test" }).click();
  await row.getByText("delivered", { exact: true }).waitFor();
  await row.getByText("HTTP 200").waitFor();
  expect(received).toHaveLength(1);
  // A receiver that answers "Gone" is disabled, and the page says so.
  status = 410;
  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByText("the receiver answered 410 (Gone)").waitFor();
  status = 204;
});

it("shows hostile addresses as text, on a phone, and finds the page with the palette", async () => {
  const key = await desk.keyOf("cleo");
  const url = `${address}?<img/src=x/onerror=alert(1)>\u3164evil${"/long".repeat(60)}`;
  expect((await desk.as(key, "PUT", "/webhooks/hostile", { url })).status).toBe(201);
  const look = { viewport: { width: 375, height: 800 }, colorScheme: "dark" } as const;
  const { page, context, heard } = await open(desk.browser, desk.gateway.url, look);
  await signIn(page, desk.gateway.url, key);
  await page.keyboard.press("Control+K");
  await page.keyboard.type("webhooks");
  await page.getByRole("menuitem", { name: "Webhooks" }).click();
  await page.getByText("<img/src=x/onerror=alert(1)>⟨U+3164⟩evil").waitFor();
  expect([await overflows(page), await page.locator("main img").count(), await barriers(page)]).toEqual([false, 0, []]);
  await page.getByRole("link", { name: "hostile" }).click();
  await page.getByText("<img/src=x/onerror=alert(1)>⟨U+3164⟩evil").waitFor();
  expect([await overflows(page), await page.locator("main img").count(), await barriers(page)]).toEqual([false, 0, []]);
  expect(heard()).toEqual([]);
  await context.close();
});

it("keeps the webhooks of the gateway apart from an admin's own", async () => {
  await desk.gateway.call("PUT", "/webhooks/everything", { scope: "gateway", url: address });
  const page = await desk.enter(desk.gateway.key, "/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByLabel("Owner").selectOption("Gateway");
  await page.getByRole("link", { name: "everything" }).click();
  await page.getByRole("heading", { name: "everything", level: 1 }).waitFor();
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("link", { name: "everything" }).waitFor();
});
