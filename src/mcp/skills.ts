// Implements the extension `io.modelcontextprotocol/skills` (SEP-2640): skills/list, skills/get, folders, and files as resources.

import { ProtocolError, ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ServedSkill } from "../domain/catalog/served-skill";
import type { View } from "../domain/catalog/view";
import { jsonObject } from "../domain/json";
import { fileAt, folderAt, pageOfSkills, skillAt } from "../services/catalog/served-skills";
import type { Context } from "../services/context";
import type { ClientEra } from "./client-scope";
import { asProtocolError } from "./refusal";
import type { ServerResources } from "./server-features";

const EXTENSION = "io.modelcontextprotocol/skills";
const FOLDER_TYPE = "inode/directory";
/** A catalog is private and changes with every publish, so clients must not cache it. */
const CACHE = { ttlMs: 0, cacheScope: "private" } as const;

const pageParams = z.looseObject({ cursor: z.string().max(1_000).optional() });
const uriParams = z.looseObject({ uri: z.string().max(4_096) });
const folderParams = uriParams.extend(pageParams.shape);

const entrySchema = z.object({
  uri: z.string(),
  frontmatter: jsonObject,
  resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.int() })),
  _meta: jsonObject.optional(),
});
const cacheFields = { ttlMs: z.number().optional(), cacheScope: z.enum(["private", "public"]).optional() };
const listResult = z.object({ skills: z.array(entrySchema), nextCursor: z.string().optional(), ...cacheFields });
const getResult = z.object({ skill: entrySchema, ...cacheFields });
const folderResult = z.object({
  resources: z.array(
    z.object({ uri: z.string(), name: z.string(), mimeType: z.string().optional(), size: z.int().optional() }),
  ),
  ...cacheFields,
});

/**
 * Adds the skills of a view to a server that is not connected yet.
 *
 * @param others further resources; `null`: none
 */
export function serveSkills(
  server: Server,
  context: Context,
  { view, era, others }: { view: () => Promise<View>; era: ClientEra; others: ServerResources | null },
): void {
  const cache = era === "modern" ? CACHE : {};
  const withView = <T>(run: (view: View) => Promise<T>) => asProtocolError(context, async () => run(await view()));

  server.registerCapabilities({ extensions: { [EXTENSION]: { directoryRead: true } } });

  server.setRequestHandler("skills/list", { params: pageParams, result: listResult }, ({ cursor }) =>
    withView(async (catalog) => {
      const { skills, nextCursor } = await pageOfSkills(context, catalog, cursor);
      return { skills, ...(nextCursor === null ? {} : { nextCursor }), ...cache };
    }),
  );

  server.setRequestHandler("skills/get", { params: uriParams, result: getResult }, ({ uri }) =>
    withView(async (catalog) => {
      const skill = await skillAt(context, catalog, uri);
      if (skill === null) throw new ProtocolError(-32602, `Skill not found: ${uri}`);
      return { skill, ...cache };
    }),
  );

  server.setRequestHandler("resources/directory/read", { params: folderParams, result: folderResult }, ({ uri }) =>
    withView(async (catalog) => {
      const children = await folderAt(context, catalog, uri);
      if (children === null) throw new ProtocolError(-32602, `${uri} is not a directory resource`);
      const resources = children.map(({ uri: child, name, mediaType, size }) => ({
        uri: child,
        name,
        mimeType: mediaType ?? FOLDER_TYPE,
        ...(size === null ? {} : { size }),
      }));
      return { resources, ...cache };
    }),
  );

  server.setRequestHandler("resources/list", ({ params }) =>
    withView(async (catalog) => {
      const { skills, nextCursor } = await pageOfSkills(context, catalog, params?.cursor);
      const resources = skills.map(resourceOf);
      if (nextCursor !== null) return { resources, nextCursor };
      return { resources: [...resources, ...((await others?.list()) ?? [])] };
    }),
  );

  server.setRequestHandler("resources/templates/list", () =>
    asProtocolError(context, async () => ({
      resourceTemplates: [
        { name: "skill-file", uriTemplate: "skill://{+path}", description: "A file of a skill." },
        ...((await others?.templates()) ?? []),
      ],
    })),
  );

  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    // A URI of the gateway never belongs to another server, in any case.
    if (others !== null && !/^skill:/i.test(uri)) return asProtocolError(context, () => others.read(uri));
    return withView(async (catalog) => {
      const file = await fileAt(context, catalog, uri);
      if (file === null) throw new ResourceNotFoundError(uri);
      return { contents: [{ uri, mimeType: file.mediaType, ...contentOf(file.bytes) }] };
    });
  });
}

function resourceOf({ uri, frontmatter }: ServedSkill) {
  const { name, description } = frontmatter;
  return {
    uri,
    name: typeof name === "string" ? name : uri,
    ...(typeof description === "string" ? { description } : {}),
    mimeType: "text/markdown",
  };
}

/** Returns a file as text if encoding the text gives the same bytes, otherwise as base64. */
function contentOf(bytes: Uint8Array): { text: string } | { blob: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    let binary = "";
    for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
    return { blob: btoa(binary) };
  }
}
