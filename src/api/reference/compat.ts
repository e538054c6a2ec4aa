// Links, imports and the open list: how skills come from elsewhere, and go to clients that people already have.

import type { OperationTexts } from "./operation";

export const COMPAT_TEXTS: OperationTexts = {
  "POST /api/v1/links": {
    id: "links.create",
    about: "Makes an address that reads skills without a key, for clients that send no header. It is shown this once.",
    body: { name: "laptops of the team" },
  },
  "GET /api/v1/links": { id: "links.list", about: "The caller's live links, newest first, without their addresses." },
  "DELETE /api/v1/links/{id}": { id: "links.revoke", about: "Revokes a link: its address is not there any more." },

  "POST /api/v1/imports": {
    id: "imports.start",
    about:
      "Takes skills from a site's index, a Git host's archive or another gateway, in the background. The same source and namespace again: the same import, which takes only what is missing or has changed.",
    retry: "idempotent",
    body: { source: { type: "index", url: "https://skills.example.org" }, namespace: "default" },
  },
  "GET /api/v1/imports": {
    id: "imports.list",
    about: "The imports to where the caller may import, each scope's newest first.",
  },
  "GET /api/v1/imports/{id}": {
    id: "imports.get",
    about: "How an import stands, with a page of what became of its skills, by name.",
    query: { state: "failed", limit: 20 },
  },
  "POST /api/v1/imports/{id}/cancel": {
    id: "imports.cancel",
    about: "Ends what is under way, and a mirror. What was taken stays, and so does the report.",
    retry: "idempotent",
  },
  "DELETE /api/v1/imports/{id}": {
    id: "imports.delete",
    about: "Forgets an import. What was taken stays, and a later import of the source leaves it alone.",
  },

  "GET /api/v1/open-skills": {
    id: "openSkills.list",
    about: "The public skills that anybody may have without a key, by name.",
  },
  "PUT /api/v1/open-skills/{id}": {
    id: "openSkills.add",
    about:
      "Opens a public skill to everybody: the doors for clients without a key show it, in whatever version is current.",
  },
  "DELETE /api/v1/open-skills/{id}": {
    id: "openSkills.remove",
    about: "Takes a skill off the open list. Within a minute no door shows it without a key.",
  },
};
