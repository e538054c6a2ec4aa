// Details of an MCP server in the console in Chromium: adding it from the catalog, its checks, and the review of a skill that it offers.

import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { startFaults } from "../../support/upstream-server/faults";
import { barriers } from "../axe";
import { Desk } from "./setup";

const desk = new Desk({ MCP_REGISTRY_URL: "off" });
const URI = "skill://tides/SKILL.md";
const reply = (result: object) => ({
  headers: { "content-type": "application/json" },
  body: `{"jsonrpc":"2.0","id":@id,"result":${JSON.stringify(result)}}`,
});

/** Makes a server offer the skill `tides` with this text. */
async function offer(url: string, text: string): Promise<void> {
  const markdown = `---\nname: tides\ndescription: Reads tide tables.\n---\n\n${text}\n`;
  const digest = `sha256:${createHash("sha256").update(markdown).digest("hex")}`;
  const resources = [{ uri: URI, digest, size: Buffer.byteLength(markdown) }];
  const script = {
    "skills/list": reply({
      skills: [{ uri: URI, frontmatter: { name: "tides", description: "Reads tide tables." }, resources }],
    }),
    "resources/read": reply({ contents: [{ uri: URI, mimeType: "text/markdown", text: markdown }] }),
  };
  await (await fetch(url, { method: "PUT", body: JSON.stringify(script) })).text();
}

it("adds a server from the catalog with two clicks", async () => {
  const page = await desk.enter(desk.gateway.key, "/servers");
  await page.getByRole("button", { name: "Add server" }).click();
  const window = page.getByRole("dialog");
  await window.getByRole("button", { name: /^Add / }).first().click();
  await window
    .getByRole("button", { name: /^Added / })
    .first()
    .waitFor();
  const { body } = await desk.gateway.call<{ items: object[] }>("GET", "/servers");
  expect(body.items).toHaveLength(1);
});

it("shows the checks of a server, lists its skills, and approves one after its review", async () => {
  const server = await startFaults();
  const url = `${server.url}/scripted/harbour`;
  await offer(url, "Ask for the port first.");
  await desk.gateway.call("PUT", "/mcp-servers/harbour", { url });
  const page = await desk.enter(desk.gateway.key, "/servers");
  // The schedule runs every five minutes, so its results are added to the response here.
  await page.route("**/mcp-servers/harbour", async (route) => {
    const answer = await route.fetch();
    const checks = [
      { at: "2026-11-26T08:05:00.000Z", url, latency_ms: 5_000, error: "the server did not connect within 5s" },
      { at: "2026-11-26T08:00:00.000Z", url, latency_ms: 12 },
    ];
    await route.fulfill({ json: { ...(await answer.json()), checks } });
  });
  await page.getByRole("button", { name: "Details of harbour" }).click();
  const window = page.getByRole("dialog", { name: "harbour" });
  const rows = window.getByRole("row");
  await rows.filter({ hasText: "did not connect within 5s" }).getByText("down", { exact: true }).waitFor();
  await rows.filter({ hasText: "12 ms" }).getByText("up", { exact: true }).waitFor();
  const skill = window.getByRole("listitem").filter({ hasText: "harbour-tides" });
  await skill.getByText("not approved").waitFor();
  await skill.getByText(/^Files: 1 /).click();
  await skill.getByText("SKILL.md ·").waitFor();
  expect(await skill.innerText()).toMatch(/sha256:[0-9a-f]{64}/);
  expect(await barriers(page)).toEqual([]);
  await skill.getByRole("button", { name: "Approve harbour-tides" }).click();
  await skill.getByText("approved", { exact: true }).waitFor();
  expect(await skill.getByRole("button", { name: "Approve harbour-tides" }).count()).toBe(0);

  await offer(url, "Ask for the day first.");
  await window.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Details of harbour" }).click();
  await skill.getByText("changed", { exact: true }).waitFor();
  // The server changes the skill again after it was listed: what was reviewed is not what would be published.
  await offer(url, "Ask for the ship first.");
  await skill.getByRole("button", { name: "Approve harbour-tides" }).click();
  await skill.getByRole("alert").filter({ hasText: "has changed since it was listed" }).waitFor();
  await skill.getByRole("button", { name: "Approve harbour-tides" }).click();
  await skill.getByText("approved", { exact: true }).waitFor();
  server.close();
});
