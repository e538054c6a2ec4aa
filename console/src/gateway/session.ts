// Contains the signed-in user. The session is a cookie that scripts cannot read; the pages use only the data that the gateway returns about
// it.

import { CancelledError, type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Me } from "../../../sdk/src/generated/operations";
import { ask } from "./call";
import { Refusal } from "./refusal";

const SESSION = ["session"];

/** No user is signed in. `issuer`: the host that signs users of this gateway in, if there is one. */
export interface Nobody {
  issuer: string | null;
}

/** A signed-in user with their rights. `tries`: whether the user can try skills here. */
export interface Somebody extends Pick<Me, "user_id" | "role" | "groups" | "rights"> {
  tries: boolean;
  sessionId: string | null;
}

/** The response of the console API. It does not contain the user's usage, which takes time to sum up and is shown on one page only. */
interface Told {
  user: Pick<Me, "role" | "groups"> & { id: string };
  rights: Me["rights"];
  try_it: boolean;
  /** The id of the session. */
  id?: string;
}

export const isSomebody = (who: Somebody | Nobody): who is Somebody => "user_id" in who;

/** Query for the session of this browser. */
export const session = queryOptions({
  queryKey: SESSION,
  staleTime: 30_000,
  queryFn: async ({ signal }): Promise<Somebody | Nobody> => {
    try {
      const { user, rights, try_it, id = null } = (await (await ask("/session", { signal })).json()) as Told;
      return { user_id: user.id, role: user.role, groups: user.groups, rights, tries: try_it, sessionId: id };
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return nobody(error);
      throw error;
    }
  },
});

const SignedIn = createContext<Somebody | null>(null);
/** Provides the signed-in user to the pages. They are never rendered without one. */
export const WithMe = SignedIn.Provider;

/** Returns the signed-in user, on pages that require one. */
export function useMe(): Somebody {
  const me = useContext(SignedIn);
  if (me === null) throw new Error("Nobody is signed in.");
  return me;
}

/** The proof of identity: a key, or the ticket of a one-time link. */
export type Proof = { key: string } | { ticket: string };

/** Tells the other tabs that the cookie belongs to another session. */
const tabs = new BroadcastChannel("console-session");

/**
 * A sign-in ends the session of the cookie that it sends. The sign-ins of all tabs run one after the other, so that the cookie of the last
 * answer is that of the last session.
 */
async function signIn(proof: Proof): Promise<void> {
  await navigator.locks.request("console-sign-in", () =>
    ask("/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(proof),
    }),
  );
  tabs.postMessage("signed in");
}

/** Follows the sign-ins of other tabs. */
export function followTabs(client: QueryClient): void {
  tabs.onmessage = () => void checkSession(client);
}

/**
 * Reads the session of the cookie again. If another tab has signed in meanwhile, requests that were refused are repeated, and the data of
 * another user is dropped. If nobody is signed in any more, shows the sign-in.
 */
export async function checkSession(client: QueryClient, refusal: Refusal | null = null): Promise<void> {
  const before = client.getQueryData<Somebody | Nobody>(SESSION);
  // A request that is under way may have been sent with the cookie of a session that has ended.
  await client.cancelQueries(session);
  let now: Somebody | Nobody | null = null;
  try {
    now = await client.fetchQuery({ ...session, staleTime: 0 });
  } catch (error) {
    // A later check continues.
    if (error instanceof CancelledError) return;
  }
  if (now === null || !isSomebody(now)) {
    if (refusal !== null) forget(client, refusal);
    return;
  }
  if (before === undefined || !isSomebody(before) || before.sessionId === now.sessionId) return;
  const isOthers = before.user_id !== now.user_id;
  await client.resetQueries({
    predicate: ({ queryKey, state }) => queryKey[0] !== SESSION[0] && (isOthers || state.error !== null),
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signIn,
    onSuccess: () => client.resetQueries(),
  });
}

/** Signs the same user in again during an action. Cached data is preserved. */
export const signInAgain = (key: string) => signIn({ key });

/** Redirects to the external issuer, which redirects back to this page. */
export async function signInOutside(): Promise<void> {
  const answer = await ask("/session/issuer", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ return_to: location.pathname + location.search }),
  });
  const { location: place } = (await answer.json()) as { location: string };
  location.assign(place);
}

/** Ends the session and deletes all data that the console stored in this tab. */
export async function signOut(): Promise<void> {
  await ask("/session", { method: "DELETE" }).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.status === 401)) throw error;
  });
  // Deletes chats and unsaved edits.
  sessionStorage.clear();
  location.replace("/console/");
}

/** Ends the session after it has expired: deletes its cached data and shows the sign-in instead of the page. */
function forget(client: QueryClient, refusal: Refusal): void {
  client.setQueryData(SESSION, nobody(refusal));
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

/** Reads the session again after a request was refused as not signed in. This leads to the sign-in. */
export const lookAgain = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: SESSION });

const nobody = ({ fields: { issuer } }: Refusal): Nobody => ({ issuer: typeof issuer === "string" ? issuer : null });
