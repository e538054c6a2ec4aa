// One Durable Object per conversation.

import { DurableObject } from "cloudflare:workers";

export class Conversation extends DurableObject<Env> {}
