// The table of edges: each of the gateway's routes is found through it.

import { createExecutionContext, SELF, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { wholeApp } from "../src/edges";

it("finds every route that the gateway with all its edges has", { tags: ["slow"] }, async () => {
  const whole = await wholeApp();
  const paths = new Set(
    whole.routes.filter(({ path, method }) => method !== "ALL" || !path.endsWith("*")).map(({ path }) => path),
  );
  expect(paths.size).toBeGreaterThan(100);
  const missed: string[] = [];
  for (const path of paths) {
    const asked = path.replace(/:(\w+)(\{[^}]*\})?|\*/g, "x");
    const ask = () =>
      new Request(`https://gateway.test${asked}`, { redirect: "manual", headers: { origin: "https://page.test" } });
    const context = createExecutionContext();
    const [found, expected] = await Promise.all([SELF.fetch(ask()), whole.fetch(ask(), env, context)]);
    await waitOnExecutionContext(context);
    await found.arrayBuffer();
    const [there, here] = [found, expected].map(({ status, headers }) =>
      [status, headers.get("content-type"), headers.get("access-control-allow-origin")].join(" "),
    );
    if (there !== here) missed.push(`${asked}: ${there}, not ${here}`);
  }
  expect(missed).toEqual([]);
});

it("answers paths that nothing has as every other, with the gateway's words and headers", async () => {
  for (const path of ["/nothing", "/wp-login.php", "/apis", "/healthy", "//health"]) {
    const answer = await SELF.fetch(`https://gateway.test${path}`, { headers: { "x-request-id": "asked" } });
    const { code, request_id } = await answer.json<{ code: string; request_id: string }>();
    expect([path, answer.status, code, request_id, answer.headers.get("x-request-id")]).toEqual([
      path,
      404,
      "NOT_FOUND",
      "asked",
      "asked",
    ]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  }
});
