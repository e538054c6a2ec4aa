// Simulates an MCP host and the browser of its user during sign-in: cookies by origin, redirects and forms.

/** A browser that follows redirects until it reaches a page or the host's redirect URI. */
export class Visitor {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** @param back the host's redirect URI. No server listens there: the address is the result. */
  constructor(private readonly back: string) {}

  /** Opens a URL. Returns the final address and the content. */
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

/** The state of a host of the MCP SDK during sign-in. */
export class SignedInHost {
  kept: Tokens | undefined;
  code = "";
  iss: string | undefined;
  private client: { client_id: string } | undefined;
  private verifier = "";
  readonly clientMetadata: { client_name: string; redirect_uris: string[] };

  /** @param visit the user's actions at the opened address. Returns the final address of the browser. */
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
