// The page at `/` and the redirect to the demo, as visitors without a key see them.

import { describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

const ask = (
  path: string,
  headers: Record<string, string> = {},
  settings: Record<string, string> = {},
  method = "GET",
) => askWith(settings, path, { method, headers });
// With a console, browsers are redirected to it: `console.test.ts`.
const front = (accept: string, settings: Record<string, string> = {}, more: Record<string, string> = {}) =>
  ask("/", { accept, ...more }, { CONSOLE: "off", ...settings });

describe("/", () => {
  it("is one page for a browser that leads to documents, health and the OpenAPI document", async () => {
    const answer = await front(BROWSER);
    const page = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page).toMatch(/<h1>Skill Gateway<\/h1>\s*<p>[^<]+<\/p>/);
    const links = [...page.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(links).toEqual(expect.arrayContaining(["/docs/", "/docs/api/README.md", "/health", "/openapi.json"]));
    // Paths without a route of the Worker are static files; a browser test follows them.
    for (const path of links.filter((link) => !link.startsWith("/docs/") && link !== "/openapi.json"))
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  it("returns the same as JSON to a client that prefers it", async () => {
    for (const accept of ["application/json", "text/html;q=0.5, application/json", "application/json, */*;q=0.1"]) {
      const answer = await front(accept);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(await answer.json()).toEqual({
        name: "Skill Gateway",
        description: expect.stringMatching(/^[^.]+\.[^.]+\.$/),
        links: expect.objectContaining({ openapi: "/openapi.json", health: "/health" }),
      });
    }
    for (const accept of [BROWSER, "*/*", "application/json;q=0.1, text/html", "image/png"])
      expect((await front(accept)).headers.get("content-type")).toContain("text/html");
  });

  it("needs no script and lets nothing run, load or frame it", async () => {
    const answer = await front(BROWSER);
    const page = await answer.text();
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; /);
    for (const part of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(page).not.toMatch(/<script|\son\w+=|style="|javascript:|https?:/);
    const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(page) ?? [];
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
    expect(policy).toContain(`'sha256-${btoa(String.fromCharCode(...digest))}'`);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("shows nothing of this gateway: no version, name or setting", async () => {
    const settings = { SKILLS_ALLOWED: "planted-skill", ALLOWED_ORIGINS: "https://planted.example" };
    for (const accept of [BROWSER, "application/json"]) {
      const answer = await askWith(settings, "/", { headers: { accept, "x-planted": "planted", host: "planted" } });
      expect(`${await answer.text()}${JSON.stringify([...answer.headers])}`).not.toMatch(/planted|sgw_|\d+\.\d+\.\d+/);
    }
  });

  it("has its own ETag, also with HEAD", async () => {
    const tags = await Promise.all(
      [BROWSER, "application/json"].map(async (accept) => {
        const first = await front(accept);
        const tag = first.headers.get("etag") ?? "";
        expect(first.headers.get("vary")).toContain("accept");
        const again = await front(accept, {}, { "if-none-match": tag });
        expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
        expect(again.headers.get("content-type")).toBeNull();
        const head = await ask("/", { accept }, { CONSOLE: "off" }, "HEAD");
        expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, tag, ""]);
        return tag;
      }),
    );
    expect(tags[0]).toMatch(/^"sha256-[0-9a-f]{64}"$/);
    expect(tags[0]).not.toBe(tags[1]);
    expect((await ask("/", {}, {}, "POST")).status).toBe(404);
  });
});

describe("/demo", () => {
  it("redirects to Try it in the console, and has no page of its own", async () => {
    for (const path of ["/demo", "/demo/", "/%64emo"]) {
      const answer = await ask(path);
      expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 302, "/console/try"]);
    }
    for (const path of ["/demo/index.html", "/demo/renderer", "/demo/x/y"]) expect((await ask(path)).status).toBe(404);
    expect((await ask("/demo", {}, {}, "POST")).status).toBe(404);
  });

  it("is gone with `DEMO=off`, and where there is no console", async () => {
    for (const name of ["DEMO", "CONSOLE"])
      for (const path of ["/demo", "/demo/", "/%64emo"]) {
        const answer = await ask(path, {}, { [name]: "off" });
        expect([path, answer.status, (await answer.json<{ code: string }>()).code]).toEqual([path, 404, "NOT_FOUND"]);
      }
    // Invalid settings cause a line in the log.
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    for (const DEMO of ["false", "", "OFF"]) {
      const answer = await ask("/demo", {}, { DEMO });
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("DEMO")]);
    }
    log.mockRestore();
  });
});
