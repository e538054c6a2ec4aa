// The declared source of a version. It is a claim: the gateway stores and shows it and never connects to it. Clients that check for updates
// do so from their own machine (`skillgate update`).

import * as z from "zod";
import { hasIssuedCredential } from "../package/credentials";

/** Limits of a source; `text`: of the whole JSON. */
export const SOURCE_LIMITS = { text: 4_096, url: 1_024, path: 512, ref: 256 } as const;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** A source as JSON, as it is sent. */
export const claimedSource = z.lazy(() =>
  z.strictObject({
    /** `git`: a folder of a repository. `index`: an entry of a site's index of skills, under the skill's name. */
    type: z.enum(["git", "index"]),
    url: z
      .string()
      .max(SOURCE_LIMITS.url)
      .transform((text, { addIssue }) => {
        const url = plainAddress(text);
        if (url === null)
          addIssue("is not an http or https address without user, password, query, fragment and credentials");
        return url ?? z.NEVER;
      }),
    path: z
      .string()
      .max(SOURCE_LIMITS.path)
      .refine(isInside, "is not a path inside the repository without invisible characters")
      .optional(),
    ref: z
      .string()
      .max(SOURCE_LIMITS.ref)
      .regex(/^[A-Za-z0-9._/+-]+$/, "is not a branch, tag or commit")
      .optional(),
    commit: z
      .string()
      .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, "is not a full commit id")
      .optional(),
    digest: z.string().regex(DIGEST, "is not `sha256:` followed by 64 hexadecimal digits").optional(),
  }),
);
export type ClaimedSource = z.infer<typeof claimedSource>;

/** A source as it is stored. `mcp`: an admin approved the skill of the MCP server `server`; `url` is that of its SKILL.md there. */
export const skillSource = z.lazy(() =>
  z.object({
    type: z.enum(["git", "index", "mcp"]),
    url: z.string(),
    server: z.string().optional(),
    path: z.string().optional(),
    ref: z.string().optional(),
    commit: z.string().optional(),
    digest: z.string().optional(),
    taken_at: z.string(),
  }),
);
export type SkillSource = z.infer<typeof skillSource>;

/** Returns a URL as the URL parser writes it, so that look-alike letters are visible; `null` if it may contain a secret. */
export function plainAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return null;
  const { href } = url;
  return href.length > SOURCE_LIMITS.url || /[?#]$/.test(text) || hasIssuedCredential(unescaped(href)) ? null : href;
}

function unescaped(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function isInside(path: string): boolean {
  const parts = path.split("/");
  return (
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u.test(path) && !parts.some((part) => part === "" || part === "." || part === "..")
  );
}
