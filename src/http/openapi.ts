// The OpenAPI 3.1 document, made from the schemas that validate the requests.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { version } from "../../package.json";
import type { HttpEnv } from "./env";

export function openApiDocument(app: OpenAPIHono<HttpEnv>, origin: string) {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Skill Gateway",
      version,
      description: "Skills on demand for any chat front end or agent.",
      license: { name: "MIT" },
    },
    servers: [{ url: origin }],
    security: [{ bearer: [] }],
  });
}
