// Routes that need no key.

/** Routes that are open to all callers, with or without a key. */
export const OPEN = [
  "GET /",
  "GET /health",
  "GET /health/live",
  "GET /.well-known/jwks.json",
  "GET /.well-known/oauth-protected-resource",
  "GET /.well-known/oauth-protected-resource/mcp",
  "POST /api/v1/trusted-publishing/token",
];
