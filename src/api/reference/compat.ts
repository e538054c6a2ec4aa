// OpenAPI texts for links, imports and the open list.

import type { OperationTexts } from "./operation";

export const COMPAT_TEXTS: OperationTexts = {
  "POST /api/v1/links": {
    id: "links.create",
    about:
      "Creates a link: an address that reads skills without a key, for clients that cannot send headers. The address is returned only once.",
    body: { name: "laptops of the team" },
  },
  "GET /api/v1/links": { id: "links.list", about: "Lists your valid links, newest first, without their addresses." },
  "DELETE /api/v1/links/{id}": {
    id: "links.revoke",
    about: "Deletes a link. Its address stops working. Admins can delete any link.",
  },

  "POST /api/v1/imports": {
    id: "imports.start",
    about:
      "Imports skills from an index, an archive of a Git host or another gateway, in the background. The same source and namespace continue the same import, which reads only new and changed skills.",
    retry: "idempotent",
    body: { source: { type: "index", url: "https://skills.example.org" }, namespace: "default" },
  },
  "GET /api/v1/imports": {
    id: "imports.list",
    about: "Lists imports into namespaces that you can import to, newest first in each scope.",
  },
  "GET /api/v1/imports/{id}": {
    id: "imports.get",
    about: "Returns an import with a page of its skills by name.",
    query: { state: "failed", limit: 20 },
  },
  "POST /api/v1/imports/{id}/cancel": {
    id: "imports.cancel",
    about: "Cancels a running import and ends a mirror. Imported skills and the report are kept.",
    retry: "idempotent",
  },
  "DELETE /api/v1/imports/{id}": {
    id: "imports.delete",
    about: "Deletes an import. Imported skills are kept, and a later import of the source does not change them.",
  },

  "GET /api/v1/open-skills": {
    id: "openSkills.list",
    about: "Lists the public skills that are available without a key, by name. Admins only.",
  },
  "PUT /api/v1/open-skills/{id}": {
    id: "openSkills.add",
    about: "Makes a public skill available without a key, always at its current version. Admins only.",
  },
  "DELETE /api/v1/open-skills/{id}": {
    id: "openSkills.remove",
    about:
      "Removes a skill from the open list. Within one minute it is no longer available without a key. Admins only.",
  },
};
