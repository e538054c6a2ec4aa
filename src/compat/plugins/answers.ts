// Responses for plugin clients: marketplaces, archives, and Agent Plugins in both directions.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../../domain/digest";
import { marketplace, marketplaceName } from "../../domain/plugins/marketplace";
import { publicOrigin } from "../../domain/sign-in/resource";
import { siblingAttestation } from "../../edge/attestation-link";
import type { HttpEnv } from "../../edge/edge";
import { disposition } from "../../edge/etag";
import { openPlugin, readPlugins } from "../../services/compat/plugins";
import { vendorScope } from "../../services/compat/vendor-skills";
import { readUpload } from "../vendor-api";
import { BY_DIGEST, BY_NAME, cachedResponse, PRIVATE } from "../well-known/answers";
import type { ViewRequest } from "../well-known/viewer";

/** The module for whole plugins. Loaded lazily, because few requests need it. */
let whole: typeof import("../../services/compat/agent-plugin") | null = null;

/** `.claude-plugin/marketplace.json` of a base URL. Its archives are below the same URL. */
export async function answerMarketplace(c: HonoContext<HttpEnv>, look: ViewRequest, what: string): Promise<Response> {
  const { viewer, isOpen } = look;
  const origin = publicOrigin(viewer.settings, c.req.url);
  const folder = `${origin}${c.req.path.slice(0, c.req.path.lastIndexOf("/"))}`;
  const isSigned = viewer.settings.SECRETS_KEY !== undefined;
  const plugins = (await readPlugins(viewer)).map(({ name, description, version, author, sha256 }) => {
    const file = `${folder}/-/${name}/${sha256}`;
    return {
      name,
      description,
      version,
      author,
      sha256,
      url: `${file}.zip`,
      attestation: isSigned ? `${file}.json` : null,
    };
  });
  const body = JSON.stringify(marketplace({ host: new URL(origin).host, what }, plugins));
  return cachedResponse(c, isOpen ? BY_NAME : PRIVATE, await sha256Hex(body), "application/json", body);
}

/** Returns the archive of a plugin by its digest. */
export async function answerPlugin(
  c: HonoContext<HttpEnv>,
  { viewer, isOpen }: ViewRequest,
  name: string,
  sha256: string,
): Promise<Response> {
  const stored = await openPlugin(viewer, name, sha256);
  const cache = isOpen ? BY_DIGEST : PRIVATE;
  const answer = cachedResponse(c, cache, sha256, "application/zip", stored.body, stored.size);
  answer.headers.set("link", siblingAttestation(sha256));
  return answer;
}

/** Returns the skills of a base URL as one Agent Plugin: the archive, or a list of what it contains and omits. */
export async function answerAgentPlugin(
  c: HonoContext<HttpEnv>,
  { viewer, isOpen }: ViewRequest,
  what: string,
  form: "zip" | "report",
): Promise<Response> {
  whole ??= await import("../../services/compat/agent-plugin");
  const { host } = new URL(publicOrigin(viewer.settings, c.req.url));
  const facts = { name: marketplaceName({ host, what }), description: `Skills of the gateway at ${host}: ${what}.` };
  const wanted = c.req.query("skills");
  const names = wanted === undefined ? null : wanted.split(",").flatMap((name) => name.trim() || []);
  const plan = await whole.planAgentPlugin(viewer, facts, names);
  const cache = isOpen ? BY_NAME : PRIVATE;
  if (form === "report") {
    const body = JSON.stringify(plan.report);
    return cachedResponse(c, cache, await sha256Hex(body), "application/json", body);
  }
  const bytes = await whole.packAgentPlugin(viewer, plan);
  const sha256 = await sha256Hex(bytes);
  const answer = cachedResponse(c, cache, sha256, "application/zip", new Blob([bytes]).stream(), bytes.length);
  answer.headers.set("content-disposition", disposition("attachment", `${facts.name}.zip`));
  return answer;
}

/** Publishes the skills of an Agent Plugin to the caller's scope or a group's, and reports on each. */
export async function publishPlugin(c: HonoContext<HttpEnv>, group: string | undefined): Promise<Response> {
  whole ??= await import("../../services/compat/agent-plugin");
  const { upload } = await readUpload(c, []);
  return c.json(await whole.publishAgentPlugin(vendorScope(c.get("context"), group), upload.bytes));
}
