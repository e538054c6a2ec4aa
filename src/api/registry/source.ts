// The declared source of a version, in uploads and responses, and its provenance.

import { provenanceSchema } from "../../domain/access/provenance";
import { claimedSource, SOURCE_LIMITS } from "../../domain/catalog/source";
import * as z from "../../edge/zod";

const EXAMPLE = {
  type: "git",
  url: "https://github.com/owner/repo",
  path: "skills/tide-tables",
  ref: "HEAD",
  commit: "0123456789abcdef0123456789abcdef01234567",
};

/** A source in a form, where all values are text. */
export const sourceField = () =>
  z
    .string()
    .max(SOURCE_LIMITS.text)
    .transform((text, { addIssue }) => {
      try {
        return z.json().parse(JSON.parse(text));
      } catch {
        addIssue("is not valid JSON");
        return z.NEVER;
      }
    })
    .pipe(claimedSource)
    .optional()
    .openapi({
      type: "string",
      description:
        "The origin of the package, as JSON: `type` (`git` or `index`), `url`, and optionally `path`, `ref`, `commit`, `digest`.",
      example: JSON.stringify(EXAMPLE),
    });

/** Absent if not declared. */
export const sourceSchema = () =>
  z
    .object({
      type: z.enum(["git", "index", "mcp"]),
      url: z.string(),
      server: z.string().optional(),
      path: z.string().optional(),
      ref: z.string().optional(),
      commit: z.string().optional(),
      digest: z.string().optional(),
      taken_at: z.string(),
    })
    .openapi("SkillSource", {
      description:
        "The origin that the publisher stated. The gateway never contacts it. `mcp`: the skill of an MCP server that an admin approved.",
    });

/** Absent unless a trusted publisher published the version. */
export const provenanceInResponse = () =>
  z.object(provenanceSchema.unwrap().shape).openapi("Provenance", {
    description:
      "Where a trusted publisher built the version, as the issuer of its CI stated it in a signed token: repository, workflow, ref, commit and run.",
  });
