// Every operation of the OpenAPI document, and the parts of a response that an attack can see.

import { exports } from "cloudflare:workers";
import type { Thing } from "../../api/matrix/actors";
import { openApi } from "../../support/openapi";

export const SKILLS = "/api/v1/kinds/skills";

export interface Operation {
  route: string;
  method: string;
  template: string;
  open: boolean;
  bodyTypes: string[];
}

interface Document {
  paths: Record<string, Record<string, { security?: unknown[]; requestBody?: { content: Record<string, unknown> } }>>;
}

const document = await openApi<Document>();
const operations: Operation[] = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { security, requestBody }]) => ({
    route: `${method.toUpperCase()} ${template}`,
    method: method.toUpperCase(),
    template,
    open: security?.length === 0,
    bodyTypes: Object.keys(requestBody?.content ?? {}),
  })),
);
export const closed = operations.filter((operation) => !operation.open);
export const fill = (template: string, thing: Thing) =>
  template.replace("{turn}", "1").replace(/\{([^}]+)\}/g, (_, field: string) => thing[field] ?? "nothing-of-the-kind");

/** Sends a request unchanged, without the corrections of `call`. */
export const raw = (path: string, init: RequestInit) => exports.default.fetch(`https://gateway.test${path}`, init);
