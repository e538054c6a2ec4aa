// OAuth clients: self-registered ones, those identified by a metadata document, and pre-registered ones.

import { sha256Hex } from "../../domain/digest";
import type { Issue } from "../../domain/errors";
import {
  type Client,
  cacheLifetimeOf,
  canonicalMetadata,
  isAddress,
  type Metadata,
  REGISTERED,
  readAddress,
  readDocument,
  readMetadata,
} from "../../domain/sign-in/client";
import { SIGN_IN_LIMITS, SIGN_IN_TIMES } from "../../domain/sign-in/limits";
import { preRegisteredClientName } from "../../domain/sign-in/pre-registered";
import { type ClientRow, putClient, readClient } from "../../storage/d1/sign-in/clients";
import { readPreRegisteredClient } from "../../storage/d1/sign-in/pre-registered-clients";
import { type FetchAddress, fetchDocument } from "../../upstream/client-document";
import { type Address, countUnknownClient } from "./budget";
import type { SignInContext } from "./context";

/** Result of a registration. `uris`: the issues concern redirect URIs. */
export type Registered = { client: Client } | { issues: Issue[]; uris: boolean };

/**
 * Registers a client (RFC 7591). Its id is a digest of its metadata, so a repeated registration is the same row, and only new ones are
 * counted.
 */
export async function registerClient(context: SignInContext, address: Address, said: unknown): Promise<Registered> {
  const read = readMetadata(said);
  if (!("metadata" in read)) return read;
  const id = REGISTERED + (await sha256Hex(canonicalMetadata(read.metadata)));
  if ((await readClient(context.db, id)) === null) await countUnknownClient(context, address);
  const client = { id, host: null, ...read.metadata };
  await putClient(context.db, client, SIGN_IN_TIMES.clientUnused);
  return { client };
}

/** What a client lookup needs. */
export interface ClientLookup {
  origin: string;
  address: Address;
  ask: FetchAddress;
}

/** Returns the client with this id, or a sentence for the user that says why there is none. */
export async function findClient(
  context: SignInContext,
  id: string,
  seeking: ClientLookup,
): Promise<{ client: Client } | { problem: string }> {
  if (isAddress(id)) return findByDocument(context, id, seeking);
  const name = preRegisteredClientName(id);
  const client = name === null ? await readStranger(context, id) : await readKnown(context, id, name);
  if (client !== null) return { client };
  return {
    problem: "This program is not registered. Remove the server from the program and add it again.",
  };
}

async function readStranger(context: SignInContext, id: string): Promise<Client | null> {
  const row = await readClient(context.db, id);
  return row === null ? null : clientIn(row);
}

async function readKnown(context: SignInContext, id: string, name: string): Promise<Client | null> {
  const row = await readPreRegisteredClient(context.db, name);
  return row === null ? null : { id, name: row.displayName, host: null, redirectUris: row.redirectUris };
}

async function findByDocument(
  context: SignInContext,
  id: string,
  { origin, address, ask }: ClientLookup,
): Promise<{ client: Client } | { problem: string }> {
  const read = readAddress(id, origin);
  if ("problem" in read) return { problem: `The client id document cannot be read: ${read.problem}.` };
  const { url } = read;
  const known = await readClient(context.db, id);
  if (known !== null)
    return known.redirectUris.length > 0 ? { client: clientIn(known) } : unread("a recent attempt to read it failed");
  await countUnknownClient(context, address);
  const { ms, bytes } = { ms: SIGN_IN_TIMES.document, bytes: SIGN_IN_LIMITS.documentBytes };
  const asked = await fetchDocument(url, ask, { ms, bytes });
  const document = "problem" in asked ? asked : readDocument(id, asked.text);
  const metadata: Metadata = "metadata" in document ? document.metadata : { name: "", redirectUris: [] };
  const life =
    "metadata" in document && "cacheControl" in asked
      ? cacheLifetimeOf(asked.cacheControl, SIGN_IN_TIMES.documentLeast, SIGN_IN_TIMES.documentMost)
      : SIGN_IN_TIMES.documentFailed;
  const client = { id, host: url.host, ...metadata };
  await putClient(context.db, client, life);
  return "metadata" in document ? { client } : unread(document.problem);
}

function unread(why: string): { problem: string } {
  return { problem: `The client id document of this program is not valid: ${why}.` };
}

function clientIn({ id, name, host, redirectUris }: ClientRow): Client {
  return { id, name, host, redirectUris };
}
