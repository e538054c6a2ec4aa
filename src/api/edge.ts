// The HTTP/JSON edge: every resource below /api, except conversations.

import { grantRoutes } from "./access/grants";
import { groupRoutes } from "./access/groups";
import { keyRoutes } from "./access/keys";
import { meRoutes } from "./access/me";
import { oauthClientRoutes } from "./access/oauth-clients";
import { publisherExchange, publisherRoutes } from "./access/publishers";
import { sessionRoutes } from "./access/sessions";
import { signInRoutes } from "./access/sign-ins";
import { auditRoutes } from "./audit";
import { connectionRoutes } from "./connections";
import { taskRoutes } from "./conversation/conversations";
import { eventRoutes } from "./events";
import { executorRoutes } from "./executor";
import { importRoutes } from "./imports";
import { insightRoutes } from "./insights";
import { sharedLinkRoutes } from "./links";
import { mcpServerRoutes } from "./mcp-servers";
import { modelRoutes } from "./models";
import { openSkillRoutes } from "./open-skills";
import { ghostRoutes } from "./registry/ghosts";
import { reportRoutes } from "./registry/ratings";
import { reviewRoutes } from "./registry/reviews";
import { searchIndexRoute } from "./registry/search-index";
import { skillEnvRoutes } from "./registry/skill-env";
import { skillRoutes } from "./registry/skills";
import { apiEdge } from "./resource-edge";
import { secretRoutes } from "./secrets";
import { serverCatalogRoutes } from "./server-catalog";
import { userServerRoutes } from "./user-servers";
import { userRoutes } from "./users";
import { webhookRoutes } from "./webhooks";

export const api = apiEdge(
  "/api",
  [
    ["/api/v1", keyRoutes],
    ["/api/v1", grantRoutes],
    ["/api/v1", meRoutes],
    ["/api/v1", signInRoutes],
    ["/api/v1/oauth-clients", oauthClientRoutes],
    ["/api/v1", sessionRoutes],
    ["/api/v1", auditRoutes],
    ["/api/v1", userRoutes],
    ["/api/v1", searchIndexRoute],
    ["/api/v1/groups", groupRoutes],
    ["/api/v1/secrets", secretRoutes],
    ["/api/v1/models", modelRoutes],
    ["/api/v1/mcp-servers", mcpServerRoutes],
    ["/api/v1", connectionRoutes],
    ["/api/v1", userServerRoutes],
    ["/api/v1/webhooks", webhookRoutes],
    ["/api/v1", eventRoutes],
    ["/api/v1", skillEnvRoutes],
    ["/api/v1", serverCatalogRoutes],
    ["/api/v1", executorRoutes],
    ["/api/v1/links", sharedLinkRoutes],
    ["/api/v1/imports", importRoutes],
    ["/api/v1/insights", insightRoutes],
    ["/api/v1/open-skills", openSkillRoutes],
    ["/api/v1/reports", reportRoutes],
    ["/api/v1/reviews", reviewRoutes],
    ["/api", taskRoutes],
    ["/api/v1/kinds/skills", skillRoutes],
    ["/api/v1/kinds/ghosts", ghostRoutes],
    ["/api/v1/publishers", publisherRoutes],
  ],
  publisherExchange,
);
