// The texts of the pages on which a user connects an MCP server.

import { type Html, html } from "../edge/html";
import { hostsOf } from "../services/connections/connect";
import type { ConnectRequestRow } from "../storage/d1/servers/connect-requests";
import { signInHtml } from "./html";
import { type SignInMethods, signInForms } from "./page-texts";

/** The ways to prove the user. */
export interface ConnectMethods extends SignInMethods {
  /** The user of the console session of this browser. */
  session: string | null;
}

/** The page of a link: what is connected, for which user, and the ways to continue. */
export function connectPage(request: ConnectRequestRow, ways: ConnectMethods): string {
  const { server, userId, returnTo } = request;
  const { problem } = ways;
  return signInHtml(
    `Connect ${server}`,
    html`<h1>Connect ${server}</h1>
${facts(request)}
${problem === null ? null : html`<p id="problem" class="warn" role="alert">${problem}</p>`}
<p>Conversations of <strong>${userId}</strong> can then use ${server} with the account that you choose there. You can disconnect it at any time.</p>
${returnTo === null ? signIns(request, ways) : fromPage(returnTo, ways.action)}
<p class="note">If you did not ask for this, close this page. Nothing is connected.</p>`,
  );
}

/** The last page. */
export function connectedPage({ server, userId }: ConnectRequestRow): string {
  return signInHtml(
    "Connected",
    html`<h1>Connected</h1>
<p role="status">Conversations of <strong>${userId}</strong> can now use <strong>${server}</strong>.</p>
<p class="note">You can close this page and go back to your conversation, or see your <a href="/console/connections">connected servers</a>.</p>`,
  );
}

function facts(request: ConnectRequestRow): Html {
  const { server, issuer } = hostsOf(request);
  const isOther = issuer !== server && !issuer.endsWith(`.${server}`) && !server.endsWith(`.${issuer}`);
  return html`<dl>
<dt>Server</dt><dd><code>${request.url}</code></dd>
<dt>You sign in at</dt><dd><strong>${issuer}</strong></dd>
<dt>Access to</dt><dd><code>${request.resource ?? request.url}</code></dd>
<dt>User of this gateway</dt><dd><strong>${request.userId}</strong></dd>
</dl>
${
  isOther
    ? html`<p class="warn">You sign in at ${issuer}, and ${server} receives the access. Continue only if you trust both.</p>`
    : null
}`;
}

function fromPage(returnTo: string, action: string): Html {
  const { origin } = new URL(returnTo);
  return html`<p>Requested by <strong>${origin}</strong>, where you continue afterwards.</p>
<form method="post" action="${action}"><button class="main" name="how" value="continue">Continue</button></form>`;
}

function signIns({ userId }: ConnectRequestRow, methods: ConnectMethods): Html {
  if (methods.session === userId)
    return html`<form method="post" action="${methods.action}"><button class="main" name="how" value="session">Continue as ${userId}</button></form>`;
  return html`<h2>Sign in as ${userId} to continue</h2>
${signInForms(methods, { receiver: "server", button: "Sign in and continue" })}`;
}
