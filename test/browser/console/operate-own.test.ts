// The user's own resources in the console in Chromium: conversations, sign-ins, apps, secrets, models and drafts. Names from other users
// are shown as text.

import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { startFaults } from "../../support/upstream-server/faults";
import { barriers } from "../axe";
import { keyField } from "../chromium";
import { drop, go, open, overflows, signIn, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk();
const HOSTILE = '<img src=x onerror=alert(1)> "\u202Eevil';
const SHOWN = '<img src=x onerror=alert(1)> "⟨U+202E⟩evil';

it("lists one's own conversations, and finds, renames and deletes one by the keyboard alone", async () => {
  const key = await desk.keyOf("alice");
  const other = await desk.keyOf("bob");
  for (let n = 0; n < 51; n++) await desk.as(key, "PUT", `/conversations/talk-${n}`, {});
  await desk.as(key, "PUT", "/conversations/hostile", { title: HOSTILE });
  await desk.as(other, "PUT", "/conversations/secret", { title: "Nobody else's" });
  const page = await desk.enter(key, "/conversations");
  await page.getByRole("link", { name: SHOWN }).waitFor();
  expect(await page.locator("tbody tr").count()).toBe(50);
  expect(await page.locator("main").innerText()).not.toContain("Nobody else's");
  expect(await page.locator("main img").count()).toBe(0);
  await page.getByRole("link", { name: "Next page" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "talk-0", exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.has("cursor")).toBe(true);
  await page.getByRole("searchbox").focus();
  await page.keyboard.type("HOSTILE");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: SHOWN }).waitFor();
  expect([await page.locator("tbody tr").count(), new URL(page.url()).search]).toEqual([1, "?q=HOSTILE"]);
  await page.getByRole("button", { name: "Rename" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Hostile no more");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Hostile no more" }).waitFor();
  await page.getByRole("button", { name: "Delete Hostile no more" }).focus();
  await page.keyboard.press("Enter");
  const sure = page.getByRole("alertdialog", { name: "Delete Hostile no more?" });
  await sure.waitFor();
  await page.keyboard.press("Escape");
  await sure.waitFor({ state: "detached" });
  expect((await desk.as(key, "GET", "/conversations/hostile")).status).toBe(200);
  await page.getByRole("button", { name: "Delete Hostile no more" }).click();
  await sure.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No matching conversations").waitFor();
  expect((await desk.as(key, "GET", "/conversations/hostile")).status).toBe(404);
});

it("filters conversations by skill and failed calls, in the address, on the gateway", async () => {
  const key = await desk.keyOf("amy");
  await desk.as(key, "PUT", "/conversations/fine", {});
  const page = await desk.enter(key, "/conversations");
  await page.getByRole("link", { name: "fine" }).waitFor();
  // A conversation reports its failed calls up to ten minutes later, so this one is not the gateway's.
  const asked: string[] = [];
  const broken = { id: "broken", title: HOSTILE, ghost: null, created_at: "2026-01-01T00:00:00Z", turns: 3 };
  const item = { ...broken, last_turn_at: "2026-01-01T00:00:00Z", tokens: 9, failed_calls: 2 };
  await page.route("**/console/api/v1/conversations?**", (route) => {
    const { search, searchParams } = new URL(route.request().url());
    asked.push(search);
    const items = searchParams.get("state") === "failed" ? [item] : [];
    return route.fulfill({ json: { items, next_cursor: null } });
  });
  await page.getByLabel("Skill").selectOption("csv-report");
  await page.getByText("No matching conversations").waitFor();
  await page.getByLabel("Skill").selectOption("All skills");
  await page.getByLabel("State").selectOption("With failed calls");
  await page.getByRole("row").filter({ hasText: SHOWN }).getByText("2 failed").waitFor();
  expect(new URL(page.url()).search).toBe("?state=failed");
  await page.getByLabel("State").selectOption("No turns yet");
  await page.getByText("No matching conversations").waitFor();
  expect(asked.filter((search) => /skill|state/.test(search))).toEqual([
    "?limit=50&skill=csv-report",
    "?limit=50&state=failed",
    "?limit=50&state=unused",
  ]);
  expect(await barriers(page)).toEqual([]);
});

it("connects a server through the pages of the gateway and the issuer, lists the connection, and disconnects it", async () => {
  const server = await startFaults();
  const at = `${server.url}/signin/lantern`;
  await fetch(at, { method: "PUT", body: "{}" });
  await desk.gateway.call("PUT", "/mcp-servers/lantern", { url: `${at}/mcp` });
  await desk.gateway.call("PUT", "/mcp-servers/plain", { url: `${server.url}/healing/plain` });
  const key = await desk.keyOf("fay");
  const { page, context, heard } = await open(desk.browser, desk.gateway.url);
  await signIn(page, desk.gateway.url, key, "/console/servers");
  const row = page.getByRole("row").filter({ hasText: "lantern" });
  await row.getByText("none").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Connect plain" }).click();
  await page.getByRole("alert").getByText("does not ask for a sign-in").waitFor();
  await row.getByRole("button", { name: "Connect lantern", exact: true }).click();
  await page.getByRole("button", { name: "Continue as fay" }).click();
  await page.getByRole("heading", { name: "Connected" }).waitFor();
  await page.getByRole("link", { name: "connected servers" }).click();
  await row.getByText("connected", { exact: true }).waitFor();
  expect(await row.getByRole("button", { name: "Connect lantern", exact: true }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("link", { name: "MCP servers" }).last().click();
  await row.getByText("connected", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Disconnect lantern" }).click();
  const sure = page.getByRole("alertdialog", { name: "Disconnect lantern?" });
  await sure.getByRole("button", { name: "Disconnect" }).click();
  await row.getByText("none").waitFor();
  expect((await desk.as(key, "GET", "/connections")).body).toMatchObject({ items: [] });
  await page.goto(new URL("/console/connections", desk.gateway.url).href);
  await page.getByText("No connected servers").waitFor();
  // The browser also visits the issuer.
  expect(heard().filter((line) => !line.startsWith(`asked ${server.url}`))).toEqual([]);
  await context.close();
  server.close();
});

it("adds a server from the catalog with two clicks, and replaces none", async () => {
  const key = await desk.keyOf("gus");
  const page = await desk.enter(key, "/servers");
  await page.getByRole("button", { name: "Add server" }).click();
  const dialog = page.getByRole("dialog", { name: "Add MCP server" });
  await dialog.getByRole("button", { name: "Add Notion" }).waitFor();
  expect(await dialog.getByLabel("Owner").count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add Notion" }).click();
  await dialog.getByRole("button", { name: "Added Notion" }).waitFor();
  expect(await dialog.getByRole("button", { name: "Added Notion" }).isDisabled()).toBe(true);
  await dialog.getByRole("searchbox").fill("stripe");
  await page.keyboard.press("Enter");
  await dialog.getByText("Notion", { exact: true }).waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Add Stripe" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Connect notion" }).waitFor();
  const { body } = await desk.as<{ items: { name: string; url: string }[] }>(key, "GET", "/servers");
  expect(body.items).toEqual([expect.objectContaining({ name: "notion", url: "https://mcp.notion.com/mcp" })]);
});

it("ends all other sign-ins of oneself, and nobody else's", async () => {
  const key = await desk.keyOf("carol");
  const others = await Promise.all(
    [key, await desk.keyOf("dora")].map(async (whose) => {
      const seen = await open(desk.browser, desk.gateway.url);
      await signIn(seen.page, desk.gateway.url, whose, "/console/limits");
      return seen;
    }),
  );
  const page = await desk.enter(key, "/sessions");
  await page.getByRole("button", { name: "End the session of carol" }).waitFor();
  expect([await page.locator("tbody tr").count(), await page.getByText("this browser").count()]).toEqual([2, 1]);
  expect(await page.locator("main").innerText()).not.toContain("dora");
  await page.getByRole("button", { name: "End my other sessions" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "End", exact: true }).click();
  await page.getByRole("button", { name: "End the session of carol" }).waitFor({ state: "detached" });
  for (const { page: other } of others) await go(other, "Conversations");
  await keyField(others[0]!.page).waitFor();
  await others[1]!.page.getByText("No conversations yet").waitFor();
  for (const { context } of others) await context.close();
});

it("disconnects an app that has signed in", async () => {
  const key = await desk.keyOf("erin");
  const token = await signedIn(key, HOSTILE.replace("\u202E", ""));
  const opens = async () =>
    (await fetch(`${desk.gateway.url}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}` } })).status;
  expect(await opens()).not.toBe(401);
  const page = await desk.enter(key, "/grants");
  const row = page.getByRole("row").filter({ hasText: SHOWN.replace("⟨U+202E⟩", "") });
  await row.waitFor();
  expect([await page.locator("main img").count(), await barriers(page)]).toEqual([0, []]);
  await row.getByRole("button").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("No connected apps").waitFor();
  await expect.poll(opens, { timeout: 15_000 }).toBe(401);
});

/** Signs an MCP host in and returns its token. */
async function signedIn(key: string, name: string): Promise<string> {
  const { url } = desk.gateway;
  const back = "http://localhost:9/callback";
  const registered = await fetch(`${url}/oauth/register`, {
    method: "POST",
    body: JSON.stringify({ client_name: name, redirect_uris: ["http://localhost/callback"] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const code_verifier = "v".repeat(60);
  const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
  const resource = `${url}/mcp`;
  const asked = { client_id, redirect_uri: back, response_type: "code", state: "s", resource, code_challenge };
  const context = await desk.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/oauth/authorize?${new URLSearchParams({ ...asked, code_challenge_method: "S256" })}`);
  await page.getByLabel("Your key, or a sign-in link").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  const led = page.waitForRequest((request) => request.url().startsWith(back));
  await page.getByRole("button", { name: "Allow, as" }).click();
  const code = new URL((await led).url()).searchParams.get("code") ?? "";
  await context.close();
  const answer = await fetch(`${url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", code, code_verifier },
      ...{ client_id, redirect_uri: back, resource },
    }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}

it("stores a secret that nobody sees again, and a model with it as its key", async () => {
  const key = await desk.keyOf("fay");
  const value = "very-secret-value";
  const page = await desk.enter(key, "/secrets");
  const answers: Promise<string>[] = [];
  page.on("response", (answer) => answers.push(answer.text().catch(() => "")));
  await page.getByText("No secrets yet").waitFor();
  await page.getByRole("button", { name: "Store secret" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("VENDOR_KEY");
  await page.keyboard.press("Tab");
  await page.keyboard.type("short");
  await page.keyboard.press("Tab");
  await page.keyboard.type("api.example.com");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Value").fill(value);
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "VENDOR_KEY", exact: true }).waitFor();
  expect((await Promise.all(answers)).join("") + (await page.content())).not.toContain(value);

  await go(page, "Models");
  await page.getByRole("button", { name: "Add model" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill("work");
  await form.getByLabel("Base URL").fill("nowhere");
  await form.getByLabel("Provider's model name").fill("large-1");
  await form.getByLabel("Secret with the API key").selectOption("VENDOR_KEY");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("alert").waitFor();
  expect(await barriers(page)).toEqual([]);
  await form.getByLabel("Base URL").fill("https://api.example.com/v1");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row").filter({ hasText: "large-1" }).getByText("secrets.VENDOR_KEY").waitFor();
  await page.getByRole("button", { name: "Test work" }).waitFor();

  // Fields that the form does not show are unchanged.
  const { created_at, updated_at, name, scope, ...entry } = (await desk.as(key, "GET", "/models/work")).body;
  await desk.as(key, "PUT", "/models/work", { ...entry, allow: { max_output_tokens: 77 } });
  await page.reload();
  await page.getByRole("button", { name: "Edit work" }).click();
  await form.getByLabel("Provider's model name").fill("large-2");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "large-2", exact: true }).waitFor();
  expect((await desk.as(key, "GET", "/models/work")).body).toMatchObject({ allow: { max_output_tokens: 77 } });

  await go(page, "Secrets");
  await page.getByRole("row").filter({ hasText: "VENDOR_KEY" }).getByText("model work").waitFor();
  await page.getByRole("button", { name: "Delete VENDOR_KEY" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No secrets yet").waitFor();
  await go(page, "Models");
  await page.getByRole("button", { name: "Delete work" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No stored models").waitFor();
  await page.getByRole("button", { name: "Test demo" }).click();
  await page.getByText("responds", { exact: true }).waitFor();
});

it("keeps a package as a draft, promotes it to a version, and discards another", async () => {
  const key = await desk.keyOf("gil");
  const page = await desk.enter(key, "/publish");
  for (const version of ["1.0.0", "2.0.0"]) {
    await go(page, "Skills");
    await page.getByRole("link", { name: "Publish a skill" }).click();
    await drop(page, zipOf("tides.zip", { "tides/SKILL.md": skillText("tides", version, "Tell the tides.") }));
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: `tides ${version}` })
      .waitFor();
    if (version === "2.0.0") break;
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Publish tides" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog").getByRole("button", { name: "Publish" }).press("Enter");
    await page.getByRole("heading", { name: "tides", level: 1 }).waitFor();
  }
  await page.getByRole("button", { name: "Discard tides" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
  await page.getByText("No drafts yet").waitFor();
  const { items } = (await desk.as<{ items: { spec: { version: string } }[] }>(key, "GET", "/kinds/skills")).body;
  expect(items.map(({ spec }) => spec.version)).toEqual(["1.0.0"]);
});

it("publishes a version without making it the current one", async () => {
  const key = await desk.keyOf("kit");
  const page = await desk.enter(key, "/publish");
  await drop(page, zipOf("reefs.zip", { "reefs/SKILL.md": skillText("reefs", "1.0.0", "Tell the reefs.") }));
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "reefs", level: 1 }).waitFor();
  await go(page, "Skills");
  await page.getByRole("link", { name: "Publish a skill" }).click();
  await drop(page, zipOf("reefs.zip", { "reefs/SKILL.md": skillText("reefs", "2.0.0", "Tell the reefs better.") }));
  await page.getByText("Make it the current version").click();
  await page.getByText("Conversations keep the current version").waitFor();
  for (const width of [1_280, 375]) {
    await page.setViewportSize({ width, height: 800 });
    expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  }
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "reefs", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Activate", exact: true }).waitFor();
  const current = async () => {
    const { body } = await desk.as<{ items: { spec: { version: string } }[] }>(key, "GET", "/kinds/skills");
    return body.items.map(({ spec }) => spec.version);
  };
  expect(await current()).toEqual(["1.0.0"]);
  // The editor offers the same.
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "SKILL.md" }).fill(skillText("reefs", "3.0.0", "Tell the reefs best."));
  await page.getByRole("button", { name: "Review and publish" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Make it the current version").click();
  await dialog.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("button", { name: "Activate", exact: true }).nth(1).waitFor();
  expect(await current()).toEqual(["1.0.0"]);
});
