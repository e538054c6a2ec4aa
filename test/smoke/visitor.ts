// The browser of somebody who signs a host in: cookies of each origin, redirects that are followed, forms that are sent. And the host.

/** A browser that follows redirects until it comes to a page, or to where the host waits. */
export class Visitor {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** @param back where the host waits: nobody listens there, the address is the answer */
  constructor(private readonly back: string) {}

  /** Goes there; gives where it came to, and what it saw. */
  async go(url: string, init: RequestInit = {}): Promise<{ url: URL; status: number; text: string }> {
    let next = new URL(url);
    let sent = init;
    for (let steps = 0; steps < 12; steps++) {
      if (next.href.startsWith(this.back)) return { url: next, status: 0, text: "" };
      const jar = this.cookies.get(next.origin) ?? new Map<string, string>();
      this.cookies.set(next.origin, jar);
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      const answer = await fetch(next, { redirect: "manual", ...sent, headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        jar.set(name, value);
      }
      const location = answer.headers.get("location");
      if (location === null) return { url: next, status: answer.status, text: await answer.text() };
      next = new URL(location, next);
      sent = {};
    }
    throw new Error(`no end of redirects at ${next}`);
  }

  post(url: string, form: Record<string, string>) {
    return this.go(url, { method: "POST", body: new URLSearchParams(form) });
  }
}

interface Tokens {
  access_token: string;
  token_type: string;
}

/** What a host of the MCP SDK keeps while its user signs in. */
export class SignedInHost {
  kept: Tokens | undefined;
  code = "";
  iss: string | undefined;
  private client: { client_id: string } | undefined;
  private verifier = "";
  readonly clientMetadata: { client_name: string; redirect_uris: string[] };

  /** @param visit what its user does at the address that is opened; gives where the browser is sent in the end */
  constructor(
    readonly redirectUrl: string,
    private readonly visit: (url: string) => Promise<URL>,
  ) {
    this.clientMetadata = { client_name: "An SDK", redirect_uris: [redirectUrl] };
  }

  clientInformation = () => this.client;
  saveClientInformation = (client: { client_id: string }) => {
    this.client = client;
  };
  tokens = () => this.kept;
  saveTokens = (tokens: Tokens) => {
    this.kept = tokens;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  redirectToAuthorization = async (url: URL) => {
    const answer = (await this.visit(url.href)).searchParams;
    this.code = answer.get("code") ?? "";
    this.iss = answer.get("iss") ?? undefined;
  };
}
