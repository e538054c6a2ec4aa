// Answers of a page over an open socket: they depend only on the Durable Object.

import { afterAll, expect, it } from "vitest";
import { askPage, conversationOf, Page } from "../support/page";
import { beginWorld, endWorld } from "../support/world/pool";

const world = await beginWorld();
afterAll(endWorld);

it.each(["caught up", "lagging"])(
  "a page's answer waits for nothing far away, with a replica that is %s",
  async (state) => {
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    if (state === "lagging") world.lag("forever");
    for (const most of [1, 0]) {
      const { request_id } = await askPage(id);
      await page.next("skill:request");
      const { journey } = await world.measure(async () => {
        page.answer(request_id, { success: true });
        await page.next("ack");
      });
      expect(journey).toMatchObject({ primary: 0, object: 0, r2: 0 });
      expect(journey.replica).toBeLessThanOrEqual(most);
    }
    page.socket.close();
    world.catchUp();
  },
);
