// Who is signed in. The session is a cookie that no script sees; the pages know only what the gateway tells of it.

import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Me } from "../../../sdk/src/generated/operations";
import { ask } from "./call";
import { Refusal } from "./refusal";

const SESSION = ["session"];

/** Nobody is signed in. `issuer`: the host that signs users of this gateway in, where there is one. */
export interface Nobody {
  issuer: string | null;
}

/** Somebody, with what they may. `tries`: the gateway lets them try skills here. */
export interface Somebody extends Pick<Me, "user_id" | "role" | "groups" | "rights"> {
  tries: boolean;
}

/** As the edge tells it. What somebody has used is not in it: to sum that up takes time, and one page shows it. */
interface Told {
  user: Pick<Me, "role" | "groups"> & { id: string };
  rights: Me["rights"];
  try_it: boolean;
}

export const isSomebody = (who: Somebody | Nobody): who is Somebody => "user_id" in who;

/** The user of this browser. */
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
/** Tells the pages who is signed in. They never see the moment in which nobody is. */
export const WithMe = SignedIn.Provider;

/** Who is signed in, on pages that only they see. */
export function useMe(): Somebody {
  const me = useContext(SignedIn);
  if (me === null) throw new Error("Nobody is signed in.");
  return me;
}

/** What proves who somebody is: a key, or the ticket of a one-time link. */
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

/** Signs in anew in the middle of something: who it is stays, and what was seen stays. */
export const signInAgain = (key: string) => signIn({ key });

/** Leads to the issuer, which leads back to this page. */
export async function signInOutside(): Promise<void> {
  const answer = await ask("/session/issuer", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ return_to: location.pathname + location.search }),
  });
  const { location: place } = (await answer.json()) as { location: string };
  location.assign(place);
}

/** Ends the session, and everything that this page remembers of it. */
export async function signOut(): Promise<void> {
  await ask("/session", { method: "DELETE" }).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.status === 401)) throw error;
  });
  // Chats, and what somebody was writing here.
  sessionStorage.clear();
  location.replace("/console/");
}

/** The session has ended: what was seen with it goes, and the sign-in comes where the page was. */
export function forget(client: QueryClient, refusal: Refusal): void {
  client.setQueryData(SESSION, nobody(refusal));
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

/** Something was refused as nobody's: asks who is signed in, and with that leads to the sign-in. */
export const lookAgain = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: SESSION });

const nobody = ({ fields: { issuer } }: Refusal): Nobody => ({ issuer: typeof issuer === "string" ? issuer : null });
