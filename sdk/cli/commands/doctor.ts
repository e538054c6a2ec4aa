// `doctor`: reports the health of a gateway and whether it accepts the key.

import * as z from "zod";
import { type Command, GATEWAY_OPTIONS } from "../command";
import { answer, tell } from "../context";
import { issuesSchema, Refused } from "../gateway";
import { columns } from "../print";
import { EXIT } from "../problem";
import { gatewayOf } from "../resolve";

const healthSchema = z.looseObject({
  status: z.string(),
  version: z.string(),
  checks: z.record(z.string(), z.string()),
  issues: issuesSchema.default([]),
});
const meSchema = z.looseObject({ user_id: z.string() });

export const doctor: Command = {
  usage: "[--url <gateway>] [--key <key>]",
  summary: "Reports the health of the gateway, what it lacks, and whether it accepts your key.",
  options: GATEWAY_OPTIONS,
  names: [0, 0],
  async run(work, _names, values) {
    const gateway = await gatewayOf(work, values);
    const health = await gateway.read(healthSchema, "/health", { accepts: 503 });
    let user: string | null = null;
    let problem: string | null = null;
    try {
      user = (await gateway.read(meSchema, "/api/v1/me")).user_id;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem = error.message;
    }
    const { status, version, checks, issues } = health;
    answer(work, { ...health, url: gateway.signedIn.url, user_id: user, key_problem: problem });
    const rows = [...Object.entries(checks), ["key", user === null ? "refused" : `of ${user}`]];
    const lines = [`${gateway.signedIn.url}, version ${version}: ${status}`, columns(rows)];
    for (const { code, message } of issues) lines.push(`${code}  ${message}`);
    if (problem !== null) lines.push(problem);
    tell(work, lines.join("\n"));
    if (problem !== null) return EXIT.key;
    return status === "ok" ? EXIT.done : EXIT.refused;
  },
};
