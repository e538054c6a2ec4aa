// A version that a CI job published: the page of its skill names the job, whose texts are shown as they are.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { githubClaims } from "../../support/ci-claims";
import { Issuer, sign } from "../../support/issuer";
import { barriers } from "../axe";
import { overflows, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk("shared");
const keys = new Issuer();
const server = createServer(({ url }, response) => {
  const bodies: Record<string, unknown> = {
    "/.well-known/openid-configuration": { issuer: at(), jwks_uri: `${at()}/jwks` },
    "/jwks": { keys: keys.published },
  };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(bodies[url ?? ""] ?? {}));
});
const at = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.close();
});

it("shows repository, workflow, commit and run of the job, and a branch named like an attack as text", async () => {
  const pair = await keys.add("ci", "RS256");
  const owner = await desk.keyOf("cora");
  const claims = { repository: "acme/skills" };
  const publisher = await desk.as<{ id: string }>(owner, "PUT", "/publishers/releases", {
    ...{ issuer: at(), audience: "console", claims, skills: ["harbour"] },
  });
  expect(publisher.status).toBe(201);
  const ref = "refs/heads/<img src=x onerror=alert(1)>live";
  const token = await sign(pair, githubClaims(at(), { aud: "console", ref }));
  const exchanged = await desk.as<{ key: string }>(owner, "POST", "/trusted-publishing/token", {
    ...{ token, publisher: publisher.body.id },
  });
  const { buffer } = zipOf("harbour.zip", { "harbour/SKILL.md": skillText("harbour", "1.0.0", "# Harbour") });
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(buffer)]), "harbour.zip");
  const headers = { authorization: `Bearer ${exchanged.body.key}` };
  const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/upload`, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
  const { metadata } = (await answer.json()) as { metadata: { labels: { id: string } } };

  const page = await desk.enter(owner, `/skills/${metadata.labels.id}?view=versions`);
  const facts = page.getByRole("complementary", { name: "Facts" });
  await facts.getByText("Built by").waitFor();
  const told = await facts.innerText();
  expect(told).toContain("acme/skills");
  expect(told).toContain("refs/heads/<img src=x onerror=alert(1)>live · 0123456789ab");
  expect(told).toContain("publisher releases · 127.0.0.1:");
  const version = page.getByRole("list", { name: "Versions" });
  await version.getByText("Built by acme/skills").click();
  await version.getByText("publisher releases").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);

  await page.goto(`${desk.gateway.url}/console/keys`);
  await page.getByRole("navigation", { name: "API keys" }).getByRole("link", { name: "Trusted publishers" }).click();
  const row = page.getByRole("row").filter({ hasText: "releases" });
  await row.getByText("acme/skills").waitFor();
  expect(await row.getByText("never").count()).toBe(0);
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await page.setViewportSize({ width: 375, height: 800 });
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await row.getByRole("button", { name: "Delete releases" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No trusted publishers yet").waitFor();
  expect((await desk.as(owner, "GET", "/publishers/releases")).status).toBe(404);
});
