// Starts the built gateway with a scripted vendor, and a second vendor that clients call without a gateway.

import { Harness } from "../harness";
import { providerSkill } from "../provider";
import type { SkillFixture } from "../skill";
import { startVendor, type Vendor } from "../vendors/server";
import type { Client, Place } from "./client";

/** Longer than the preload limit, so that the skill must be loaded. */
const long = (text: string) => `${text}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`;

const HARBOUR: SkillFixture = {
  ...{ name: "harbour", description: "Writes harbour reports." },
  body: long("Sign every report with Aye."),
};
/** Only public skills can run code. */
const LAMP = providerSkill(
  "lamp",
  { signal: "return 'the lamp is lit'" },
  { description: "Lights the lamp.", body: long("Light it at dusk.") },
);

/** Model names at the gateway and the vendor. Some clients derive the model's features from the name. */
const MODELS: Record<Client["api"], string> = {
  "openai-chat": "gpt-6-sol",
  "openai-responses": "gpt-6-sol",
  anthropic: "claude-opus-5-5",
};

export class Stage {
  private users = 0;

  private constructor(
    readonly gateway: Harness,
    readonly vendor: Vendor,
    readonly direct: Vendor,
  ) {}

  static async open(): Promise<Stage> {
    const [vendor, direct] = [await startVendor(), await startVendor({ asksKey: true })];
    const gateway = new Harness({ MODEL_HOSTS: vendor.url });
    await gateway.start();
    const shared = { scope: "gateway" };
    const entry = { model: MODELS.anthropic, ...shared };
    const openai = { api: ["openai-chat", "openai-responses"], base_url: `${vendor.url}/v1` };
    await gateway.send("PUT", `/api/v1/models/${MODELS["openai-chat"]}`, { ...entry, ...openai, model: "gpt-6-sol" });
    const anthropic = { api: ["anthropic"], base_url: vendor.url };
    await gateway.send("PUT", `/api/v1/models/${MODELS.anthropic}`, { ...entry, ...anthropic });
    for (const skill of [HARBOUR, LAMP]) await gateway.publish(skill);
    return new Stage(gateway, vendor, direct);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all([this.vendor.close(), this.direct.close()]);
  }

  /** Creates a user and returns its endpoint settings. */
  async user(api: Client["api"]): Promise<Place> {
    const user = `user-${++this.users}`;
    const made = await this.gateway.send("POST", "/api/v1/keys", { user_id: user, scopes: ["chat"] });
    const { key } = (await made.json()) as { key: string };
    const baseURL = `${this.gateway.url}/${api === "anthropic" ? "anthropic" : "openai/v1"}`;
    return { baseURL, key, model: MODELS[api] };
  }

  /** Returns the settings for a client without a gateway. */
  vendorItself(api: Client["api"]): Place {
    const baseURL = api === "anthropic" ? this.direct.url : `${this.direct.url}/v1`;
    return { baseURL, key: "sk-vendor", model: MODELS[api] };
  }

  /** Resets both vendors. Their steps are counted from 1 again. */
  reset(): void {
    for (const { bodies, answers, refusals, plan, texts } of [this.vendor, this.direct])
      for (const list of [bodies, answers, refusals, plan, texts]) list.length = 0;
  }
}
