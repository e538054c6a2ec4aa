// An issuer of CI jobs' tokens for tests: its metadata and its keys.

import { vi } from "vitest";
import { Issuer } from "./issuer";

export class CiIssuer extends Issuer {
  /** Number of requests for its metadata. */
  met = 0;

  constructor(readonly url: string) {
    super();
    this.keysUrl = `${url}/keys/${crypto.randomUUID()}`;
  }

  readonly answer = async (url: string): Promise<Response | null> => {
    if (url === `${this.url}/.well-known/openid-configuration`) {
      this.met++;
      return Response.json({ issuer: this.url, jwks_uri: this.keysUrl });
    }
    return url === this.keysUrl ? this.fetch(url) : null;
  };
}

/** Answers the Worker's requests with these issuers. Other addresses do not respond. */
export function serveIssuers(...issuers: CiIssuer[]): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    for (const issuer of issuers) {
      const answer = await issuer.answer(String(input));
      if (answer !== null) return answer;
    }
    throw new Error(`nobody is at ${String(input)}`);
  });
}
