// Reads and changes the session of the console. The session is a cookie that scripts cannot read; the gateway reports its user.

import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Me } from "../../../sdk/src/generated/operations";
import { ask } from "./call";
import { Refusal } from "./refusal";

const SESSION = ["session"];

/** No user is signed in. `issuer` is the host of the external issuer, or `null`. */
export interface Nobody {
  issuer: string | null;
}

/** The signed-in user with their rights. `tries`: whether the gateway lets them try skills here. */
export interface Somebody extends Pick<Me, "user_id" | "role" | "groups" | "rights"> {
  tries: boolean;
}

/** The response of the console API proxy. It does not contain usage, which is slow to sum up and only shown on one page. */
interface Told {
  user: Pick<Me, "role" | "groups"> & { id: string };
  rights: Me["rights"];
  try_it: boolean;
}

export const isSomebody = (who: Somebody | Nobody): who is Somebody => "user_id" in who;

/** Query for the session of this browser. */
export const session = queryOptions({
  queryKey: SESSION,
  staleTime: 30_000,
  queryFn: async ({ signal }): Promise<Somebody | Nobody> => {
    try {
      const { user, rights, try_it } = (await (await ask("/session", { signal })).json()) as Told;
      return { user_id: user.id, role: user.role, groups: user.groups, rights, tries: try_it };
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return nobody(error);
      throw error;
    }
  },
});

const SignedIn = createContext<Somebody | null>(null);
/** Provides the signed-in user to the pages. Pages are rendered only while a user is signed in. */
export const WithMe = SignedIn.Provider;

/** Returns the signed-in user. Throws if there is none. */
export function useMe(): Somebody {
  const me = useContext(SignedIn);
  if (me === null) throw new Error("Nobody is signed in.");
  return me;
}

/** Proof of identity: a key, or the ticket of a one-time link. */
export type Proof = { key: string } | { ticket: string };

const signIn = (proof: Proof) =>
  ask("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(proof),
  });

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signIn,
    onSuccess: () => client.resetQueries(),
  });
}

/** Signs the same user in again without resetting the loaded data. */
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
  // Removes stored chats and unsaved drafts.
  sessionStorage.clear();
  location.replace("/console/");
}

/** Removes the data of an expired session. The page then shows the sign-in. */
export function forget(client: QueryClient, refusal: Refusal): void {
  client.setQueryData(SESSION, nobody(refusal));
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

/** Reads the session again after a 401, which leads to the sign-in. */
export const lookAgain = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: SESSION });

const nobody = ({ fields: { issuer } }: Refusal): Nobody => ({ issuer: typeof issuer === "string" ? issuer : null });
