// Runs a gateway whose outgoing requests pass through this process, where a test can answer them.

import { createTestHarness } from "wrangler";
import { KEY, Outside, root } from "../harness";

export class RecordingGateway extends Outside {
  private readonly server: ReturnType<typeof createTestHarness>;

  /** @param settings in addition to the key */
  constructor(settings: Record<string, string>) {
    super();
    const secrets = { GATEWAY_ADMIN_KEY: KEY, ...settings };
    this.server = createTestHarness({ root, workers: [{ configPath: "wrangler.toml", secrets }] });
  }

  async start(): Promise<void> {
    this.url = String((await this.server.listen()).url).replace(/\/$/, "");
    await this.server.getWorker().applyD1Migrations("DB");
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
