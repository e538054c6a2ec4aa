// Metadata for hosts and users that models do not read: icons, and `_meta` of extensions.

import * as z from "zod";
import { isJsonObject, jsonObject, jsonValue } from "../../json";
import { LIBRARY_LIMITS } from "./limits";

const iconSchema = z.lazy(() =>
  z.object({
    // Hosts fetch it for a user, so only https is accepted.
    src: z
      .string()
      .max(LIBRARY_LIMITS.iconChars)
      .regex(/^(?:https:\/\/[^\s\p{Cc}]+|data:image\/[^\s\p{Cc}]+)$/u),
    mimeType: z.string().max(100).optional().catch(undefined),
    sizes: z.array(z.string().max(20)).max(20).optional().catch(undefined),
    theme: z.enum(["light", "dark"]).optional().catch(undefined),
  }),
);

/** Icons of an item. Unsafe ones are removed. */
export const iconsSchema = z.lazy(() =>
  z
    .array(z.unknown())
    .transform((icons) =>
      icons.slice(0, LIBRARY_LIMITS.icons).flatMap((icon) => {
        const { data } = iconSchema.safeParse(icon);
        return data === undefined ? [] : [jsonObject.parse(JSON.parse(JSON.stringify(data)))];
      }),
    )
    .optional()
    .catch(undefined),
);

/** `_meta` of an item or result without the protocol's own keys, which apply to one connection only. */
export const marksSchema = z.lazy(() =>
  z
    .record(z.string(), jsonValue)
    .transform((meta) => Object.fromEntries(Object.entries(meta).filter(([key]) => !isProtocols(key))))
    .refine((meta) => JSON.stringify(meta).length <= LIBRARY_LIMITS.marksChars)
    .optional()
    .catch(undefined),
);

/** Prefixes whose second label is `modelcontextprotocol` or `mcp` are reserved by the protocol. */
function isProtocols(key: string): boolean {
  return key === "progressToken" || /^[^/.]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//.test(key);
}

/** Returns an object without entries that are `undefined` or empty. */
export function present<T extends object>(parts: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const said = Object.entries(parts).filter(([, value]) => value !== undefined && !isEmpty(value));
  return Object.fromEntries(said) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
