import { expect, it } from "vitest";
import { newPlace, start } from "./launcher";

// `npm run dev` has the router of a deployment in front of the Worker; `npm start` has its own router.
it.each(["start", "dev"] as const)("`DEMO=off` takes the way to Try it and nothing else: npm %s", async (script) => {
  const gateway = await start(await newPlace(), { script, env: { DEMO: "off" } }).ready();
  const statusOf = async (path: string) => (await fetch(new URL(path, gateway.url))).status;
  for (const path of ["/demo", "/demo/", "/demo/index.html", "/%64emo/"])
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  expect(await (await fetch(gateway.url)).text()).not.toContain("demo");
  for (const path of [
    "/",
    "/health",
    "/drawing/renderer",
    "/client/skill-gateway.js",
    "/docs/api/README.md",
    "/docs",
    "/docs/",
  ])
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  // Browsers show the documents as text. The page next to them is HTML and runs only its own modules.
  const headersOf = async (path: string) => (await fetch(new URL(path, gateway.url))).headers;
  expect((await headersOf("/docs/api/README.md")).get("content-type")).toBe("text/plain; charset=utf-8");
  const page = await headersOf("/docs/");
  expect(page.get("content-type")).toMatch(/^text\/html/);
  expect(page.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; [^,]*$/);
  expect((await headersOf("/docs/page.js")).get("content-type")).toMatch(/javascript/);
  // The document is built with the gateway and public. Clients with a cached copy revalidate it.
  const document = new URL("/openapi.json", gateway.url);
  const first = await fetch(document);
  const { openapi, servers } = await first.json<{ openapi: string; servers: object[] }>();
  expect([openapi, servers]).toEqual(["3.1.0", [{ url: "/" }]]);
  expect(first.headers.get("content-type")).toMatch(/^application\/json/);
  expect(first.headers.get("cache-control")).toBe("public, max-age=300");
  expect(first.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(first.headers.get("access-control-allow-origin")).toBeNull();
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^(W\/)?"[\w-]+"$/);
  const again = await fetch(document, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const head = await fetch(document, { method: "HEAD" });
  expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
});
