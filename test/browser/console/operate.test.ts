// Operator pages of the console in Chromium that no journey covers: closing dialogs, and ended sessions.

import { expect, it } from "vitest";
import { keyField } from "../chromium";
import { go, open, signIn } from "./page";
import { Desk } from "./setup";

const desk = new Desk();

it("leaves a window by Escape, without doing anything", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

it("comes back to the sign-in when the key behind the session is revoked", async () => {
  const { page } = desk.seen;
  const made = (await desk.gateway.call<{ id: string; key: string }>("POST", "/keys", { user_id: "dave" })).body;
  await signIn(page, desk.gateway.url, made.key, "/console/limits");
  expect((await desk.gateway.call("DELETE", `/keys/${made.id}`)).status).toBe(204);
  await go(page, "API keys");
  await keyField(page).waitFor();
  expect(await page.locator("body").innerText()).not.toContain("dave");
});

it.each<[string, string, string, string]>([
  ["a proxy's own page", "text/html", "<h1>Bad gateway</h1>", "HTTP_503"],
  ["a problem", "application/problem+json", '{"code":"STORAGE_DOWN","detail":"Storage is away."}', "STORAGE_DOWN"],
])(
  "says that the gateway has failed since it was asked last, where its health is %s",
  async (_, contentType, body, code) => {
    const { page, heard, context } = await open(desk.browser, desk.gateway.url);
    await page.clock.install();
    await signIn(page, desk.gateway.url, desk.gateway.key, "/console/health");
    await page.getByText("Database (D1)").waitFor();
    await page.route("**/health", (route) => route.fulfill({ status: 503, contentType, body }));
    const told = page.locator("main").getByRole("alert");
    await expect.poll(() => page.clock.runFor(5_000).then(() => told.count()), { timeout: 20_000 }).toBe(1);
    expect(await told.innerText()).toMatch(new RegExp(`^Gateway error\\..*${code}`, "s"));
    // The previous report is still visible, with its age.
    expect(await page.getByText("Database (D1)").isVisible()).toBe(true);
    await page.unroute("**/health");
    await told.getByRole("button", { name: "Try again" }).click();
    await told.waitFor({ state: "detached" });
    await context.close();
    expect(heard().filter((line) => !/status of 503/.test(line))).toEqual([]);
  },
);

/** Not the console's page of the same name. */
const isHealth = ({ pathname }: URL) => pathname === "/health";

it("shows what an executor lacks, and the command that installs it", async () => {
  const { page, context } = await open(desk.browser, desk.gateway.url);
  const health = await (await fetch(new URL("/health", desk.gateway.url))).json();
  const message = "bwrap is not installed. Install it: apt-get install bubblewrap";
  const checks = { ...health.checks, executor: "failed" };
  const issues = [{ code: "EXECUTOR_UNAVAILABLE", message }];
  const none = { name: null, install: null, packages: {}, layers: [] };
  await page.route("**/console/api/v1/executor", (route) =>
    route.fulfill({ json: { state: "failed", problem: message, ...none } }),
  );
  await page.route(isHealth, (route) => route.fulfill({ json: { ...health, status: "degraded", checks, issues } }));
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/health");
  await page.getByRole("row", { name: /^Executor for scripts\s+failed$/ }).waitFor();
  await page.getByText(message).waitFor();
  await context.close();
});

it("lists what the executor has installed for skills", async () => {
  const { page, heard, context } = await open(desk.browser, desk.gateway.url);
  const health = await (await fetch(new URL("/health", desk.gateway.url))).json();
  await page.route(isHealth, (route) =>
    route.fulfill({ json: { ...health, checks: { ...health.checks, executor: "ok" } } }),
  );
  const layer = {
    id: "a",
    requirements: ["numpy==2.1.0", "pandas==2.2.3"],
    bytes: 1_572_864,
    used_at: "2026-11-26T00:00:00Z",
  };
  const json = {
    state: "ok",
    problem: null,
    name: "bubblewrap",
    install: "pinned",
    packages: { lxml: "4.9.2" },
    layers: [layer],
  };
  await page.route("**/console/api/v1/executor", (route) => route.fulfill({ json }));
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/health");
  await page.getByRole("row", { name: /numpy==2\.1\.0, pandas==2\.2\.3\s+1\.5 MiB/ }).waitFor();
  await page.getByText("bubblewrap").waitFor();
  await page.getByText("List of Python packages").click();
  await page.getByText("lxml 4.9.2").waitFor();
  await context.close();
  expect(heard()).toEqual([]);
});
