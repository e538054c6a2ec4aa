import { describe, expect, it } from "vitest";
import { askPage, conversationOf, Page, requestState, upgrade } from "../fixtures/page";

describe("a socket", () => {
  it("is welcomed, hears what is asked, and its answer is the caller's", async () => {
    const id = await conversationOf(null);
    const answer = await upgrade(id);
    expect(answer.status).toBe(101);
    expect(answer.headers.get("sec-websocket-protocol")).toBe("skill-gateway.v1");
    const page = new Page(answer.webSocket!);
    page.say({ type: "hello", client: "test" });
    const welcome = await page.next("welcome");
    expect(welcome).toMatchObject({ conversation: id, turn: 0, active: [], resumed: false });
    const waiting = askPage(id, { wait_ms: 20_000, skill_name: "mermaid-diagram" });
    const request = await page.next("skill:request");
    expect(request).toMatchObject({
      skill_name: "mermaid-diagram",
      action: "render",
      payload: { code: "graph TD" },
      attempt: 1,
    });
    expect(request.seq).toBeGreaterThan(welcome.seq);
    page.answer(request.request_id, { success: true, result: { svg: "<svg/>" } });
    expect(await page.next("ack")).toEqual({ type: "ack", request_id: request.request_id, success: true });
    expect(await waiting).toMatchObject({ state: "resolved", success: true, result: { svg: "<svg/>" } });
    expect(await requestState(id, request.request_id)).toMatchObject({ state: "resolved", answered_by: "admin" });
    page.socket.close(1000, "bye");
    expect(await page.closed).toMatchObject({ code: 1000 });
  });
});
