// Runs every client in every case, as tests named `client > case`.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CASES } from "./cases";
import type { Client } from "./client";
import { Stage } from "./stage";

export function describeClients(clients: readonly Client[]): void {
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage?.close());
  beforeEach(() => stage?.reset());

  describe.each(clients.map((client) => ({ name: client.name, client })))("$name", ({ client }) => {
    for (const [name, run] of Object.entries(CASES)) {
      const reason = client.lacks?.[name];
      it.skipIf(reason !== undefined)(
        reason === undefined ? name : `${name} (${reason})`,
        async () => {
          if (stage === undefined) throw new Error("there is no stage");
          await run({ client, stage });
          expect(stage.vendor.refusals).toEqual([]);
        },
        30_000,
      );
    }
  });
}
