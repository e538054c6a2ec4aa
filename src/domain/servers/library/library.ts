// A server's resources, resource templates and prompts. Read when a host first requests them, and cached for a while.

import * as z from "zod";
import { UPSTREAM_LIMITS } from "../../limits";
import { LIBRARY_LIMITS } from "./limits";
import { iconsSchema, marksSchema } from "./marks";

const words = (most: number) =>
  z
    .string()
    .transform((text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, most))
    .optional()
    .catch(undefined);

/** Descriptive fields for hosts and users. */
const shownFields = () => ({
  title: words(200),
  description: words(UPSTREAM_LIMITS.descriptionChars),
  icons: iconsSchema,
  _meta: marksSchema,
});
const ofResource = () => ({
  ...shownFields(),
  name: z
    .string()
    .transform((text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, 200))
    .default(""),
  mimeType: z.string().max(200).optional().catch(undefined),
  annotations: z
    .object({
      audience: z.array(z.enum(["user", "assistant"])).max(2),
      priority: z.number().min(0).max(1),
      lastModified: z.string().max(50),
    })
    .partial()
    .optional()
    .catch(undefined),
});

/** A URI has a scheme and no white space. Hosts display it and send it back unchanged. */
const address = () =>
  z
    .string()
    .max(LIBRARY_LIMITS.uriChars)
    .regex(/^[^\s\p{Cc}\p{Cf}]+$/u, "is no address");

/** A resource in a server's list, with the server's own URI. */
export const resourceSchema = z.lazy(() =>
  z.object({
    uri: address().regex(/^[a-z][a-z0-9+.-]*:/i, "has no scheme"),
    size: z.int().nonnegative().optional().catch(undefined),
    ...ofResource(),
  }),
);

/** A URI template. */
export const resourceTemplateSchema = z.lazy(() => z.object({ uriTemplate: address(), ...ofResource() }));

/** A prompt, with the server's own name. */
export const listedPromptSchema = z.lazy(() =>
  z.object({
    name: z.string().min(1).max(UPSTREAM_LIMITS.toolNameChars),
    arguments: z
      .array(
        z.object({
          name: z.string().min(1).max(200),
          title: words(200),
          description: words(2_000),
          required: z.boolean().optional().catch(undefined),
        }),
      )
      .max(64)
      .optional(),
    ...shownFields(),
  }),
);

export const librarySchema = z.lazy(() =>
  z.object({
    resources: z.array(resourceSchema),
    templates: z.array(resourceTemplateSchema),
    prompts: z.array(listedPromptSchema),
    /** Time of the read, in milliseconds since the epoch; 0 if the server announced a change since. */
    at: z.number(),
    /** Cache lifetime that the server declares, in milliseconds. */
    ttl: z.number().nullable(),
  }),
);
export type Library = z.infer<typeof librarySchema>;

export const NO_LIBRARY: Library = { resources: [], templates: [], prompts: [], at: 0, ttl: null };
