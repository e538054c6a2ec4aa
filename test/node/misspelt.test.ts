// Environment variables that stop a start: misspelled names of ours, but not variables of other programs.

import { expect, it } from "vitest";
import { misspelt } from "../../scripts/local/misspelt.mjs";
import { SETTINGS } from "../../src/domain/settings/settings";

const NAMES = Object.keys(SETTINGS);
const wrong = (...names: string[]) => misspelt(NAMES, names).wrong.map(({ name }) => name);

it.each([
  ["SKILS_ENABLED", "SKILLS_ENABLED"],
  ["SKILL_ENABLED", "SKILLS_ENABLED"],
  ["SKILLS_ALOWED", "SKILLS_ALLOWED"],
  ["SKILLS_TOKENS_MAX", "SKILL_TOKENS_MAX"],
  ["skills_enabled", "SKILLS_ENABLED"],
  ["GATEWAY_ADMIN_KEYS", "GATEWAY_ADMIN_KEY"],
  ["MCP_CALL_TIMEOUT", "MCP_CALL_TIMEOUT_S"],
])("%s stops, and %s was meant", (name, meant) => {
  expect(misspelt(NAMES, [name])).toEqual({ wrong: [{ name, meant }], doubtful: [] });
});

it("variables of other programs and of the gateway's own commands cause no error", () => {
  const others =
    "PATH HOME SECRET_KEY JWT_SECRET JWT_ISSUERS JWT_JWKS_URI RATE_LIMIT LOG_REQUEST ALLOWED_ORIGIN ALLOWED_HOSTS LOG_LEVEL MCP_SERVER_URL " +
    "MCP_TIMEOUT MCP_TOOL_TIMEOUT MCP_STRESS GATEWAY_INTERFACE GATEWAY_URL GATEWAY_KEY SKILLS_DIR SKILL_PATH SKILL_GATEWAY_OWNER npm_config_cache";
  expect(wrong(...others.split(" "), ...NAMES)).toEqual([]);
  expect(misspelt(NAMES, ["SECRET_KEY"]).doubtful).toEqual([{ name: "SECRET_KEY", meant: "SECRETS_KEY" }]);
});
