// The gateway as it is deployed, with a meter at the platform's own classes, and a few routes of the bench beside it.

import { DURATIONS } from "../../src/domain/durations";
import gateway, { Conversation as Metered } from "../../src/index";
import { asRequest, moveClock, takeUnits, watchBindings, watchStorage } from "./meter";

export { EventHub } from "../../src/index";

export class Conversation extends Metered {
  constructor(ctx: DurableObjectState, env: Env) {
    watchStorage(ctx.storage);
    watchBindings(env);
    super(ctx, env);
  }

  override webSocketMessage(...given: Parameters<Metered["webSocketMessage"]>) {
    return asRequest(() => super.webSocketMessage(...given));
  }

  override webSocketClose(...given: Parameters<Metered["webSocketClose"]>) {
    return asRequest(() => super.webSocketClose(...given));
  }

  /** Calls the alarm handler, as the platform does when an alarm is due. */
  async ring(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.alarm();
  }
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    watchBindings(env);
    const [, route, what] = /\/cost\/(\w+)\/?(.*)$/.exec(new URL(request.url).pathname) ?? [];
    switch (route) {
      case "units":
        return Response.json(takeUnits());
      case "clock":
        moveClock(Number(what));
        return new Response("ok");
      case "listen":
        // Simulates an hour of listening in less time. Everything that happens in an hour happens.
        DURATIONS.listen = Number(what);
        return new Response("ok");
      case "hourly":
        await gateway.scheduled({ scheduledTime: Date.now(), cron: "", noRetry: () => {} } as ScheduledController, env);
        return new Response("ok");
      case "ring": {
        const stub: unknown = env.CONVERSATIONS.getByName(decodeURIComponent(what ?? ""));
        await (stub as { ring(): Promise<void> }).ring();
        return new Response("ok");
      }
      default:
        return gateway.fetch(request, env, context);
    }
  },
};
