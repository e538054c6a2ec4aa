// The texts of the sign-in pages. Names and addresses in them come from strangers.

import { preRegisteredClientName } from "../domain/sign-in/pre-registered";
import { destinationOf } from "../domain/sign-in/redirect";
import { type Html, html } from "../edge/html";
import type { PageRow } from "../storage/d1/sign-in/pages";
import { signInHtml } from "./html";

/** A page for an error that the user can only leave by going back. */
export function problemPage(problem: string): string {
  return signInHtml(
    "Sign-in failed",
    html`<h1>Sign-in failed</h1>
<p role="alert">${problem}</p>
<p class="note">No access was granted. You can close this page.</p>`,
  );
}

/** The available ways to sign in. */
export interface SignInMethods {
  /** The target of the page's forms. */
  action: string;
  /** The origin of this page. */
  origin: string;
  /** The user of the sign-in link that this browser has opened. */
  link: string | null;
  /** The host of the issuer. */
  issuer: string | null;
  problem: string | null;
}

/** The forms with which a user signs in. `receiver`: what asks for the access, and gets no key; `button`: its last button. */
export function signInForms(
  { action, origin, link, issuer, problem }: SignInMethods,
  { receiver, button }: { receiver: string; button: string },
): Html {
  const described = html`key-note${problem === null ? null : html` problem`}`;
  return html`${
    link === null
      ? null
      : html`<form method="post" action="${action}"><button class="main" name="how" value="link">Continue as ${link}</button></form>`
  }
${
  issuer === null
    ? null
    : html`<form method="post" action="${action}"><button class="main" name="how" value="issuer">Sign in at ${issuer}</button></form>`
}
<form method="post" action="${action}">
<label for="key">Your key, or a sign-in link</label>
<input id="key" name="key" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" required maxlength="2048" aria-describedby="${described}">
<p id="key-note" class="note">Your key is sent to ${origin} only. The ${receiver} never receives it. Check the address above.</p>
<button class="main" name="how" value="key">${button}</button>
</form>`;
}

/** The first page: the requesting program and the ways to sign in. */
export function signInPage(page: PageRow, methods: SignInMethods): string {
  const { action, problem } = methods;
  return signInHtml(
    `Sign in: ${page.clientName}`,
    html`<h1>${page.clientName} wants to use this Skill Gateway for you</h1>
${facts(page)}
<h2>Sign in to continue</h2>
${problem === null ? null : html`<p id="problem" class="warn" role="alert">${problem}</p>`}
${signInForms(methods, { receiver: "program", button: "Sign in" })}
${refusal(action)}`,
  );
}

/** The second page: the user's account and what consent allows. */
export function consentPage(page: PageRow, action: string, days: { most: number; idle: number }): string {
  return signInHtml(
    `Allow ${page.clientName}?`,
    html`<h1>Allow ${page.clientName} to use this Skill Gateway as ${page.userId ?? ""}?</h1>
${facts(page)}
<h2>Permissions</h2>
<p>Load your skills and run those with code, and call the tools of the MCP servers that you may use here, with the secrets that
are kept for you. It can neither manage anything nor open any other address of this gateway.</p>
<p class="note">It lasts until you or an admin revoke it, for ${days.idle} days without use, and ${longest(page, days.most)} at most. You are asked each time.</p>
<form method="post" action="${action}"><button class="main" name="how" value="approve">Allow, as ${page.userId ?? ""}</button></form>
${refusal(action)}
<form method="post" action="${action}"><button name="how" value="again">Use another account</button></form>`,
  );
}

const DAY = 24 * 60 * 60_000;

/** The longest duration of the grant. A sign-in with a key that expires, or at an issuer, may allow less than the settings. */
function longest({ signedIn, createdAt }: PageRow, days: number): string {
  const endsAt = signedIn?.endsAt ?? null;
  if (endsAt === null || endsAt > createdAt + days * DAY) return `${days} days`;
  return `until ${new Date(endsAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function refusal(action: string): Html {
  return html`<form method="post" action="${action}"><button name="how" value="deny">Deny</button></form>`;
}

/** The requesting program, the resource, and the address that receives the answer. */
function facts({ clientId, clientName, clientHost, redirectUri, resource }: PageRow): Html {
  return html`<dl>
<dt>Program</dt><dd><strong>${clientName}</strong>. ${vouching(clientId, clientHost)}</dd>
<dt>Redirects to</dt><dd>${destination(redirectUri)}</dd>
<dt>Access to</dt><dd><code>${resource}</code></dd>
</dl>`;
}

function vouching(clientId: string, host: string | null): Html {
  if (host !== null) return html`Published by <strong>${host}</strong> and verified at that address.`;
  return preRegisteredClientName(clientId) === null
    ? html`The program registered itself. Its name is not verified.`
    : html`Registered by an admin of this gateway.`;
}

function destination(redirectUri: string): Html {
  const to = destinationOf(redirectUri);
  if (to?.kind === "site") return html`<strong>${to.host}</strong>`;
  if (to?.kind === "app") return html`the app on this device that opens <strong>${to.scheme}:</strong> addresses`;
  return html`a program on this computer (<strong>${to?.host ?? ""}</strong>)
<p class="warn">Any program on this computer can receive the answer. Continue only if you have just started this sign-in yourself.</p>`;
}

/** The page of a link. Opening it does not use the link up, because mail scanners open links. */
export function linkPage(action: string, userId: string): string {
  return signInHtml(
    "Sign in",
    html`<h1>Sign in as ${userId}</h1>
<p>This link signs you in once, to allow one program to use this Skill Gateway as <strong>${userId}</strong>. You will see which one
before you allow it.</p>
<form method="post" action="${action}"><button class="main">Continue as ${userId}</button></form>
<p class="note">If you did not ask for this link, close this page.</p>`,
  );
}

/** The page for a sign-in link that was opened before any program requested a sign-in. */
export function waitingPage(userId: string): string {
  return signInHtml(
    "Connect your program",
    html`<h1>Connect your program</h1>
<p>For ten minutes this browser can sign in as <strong>${userId}</strong>, once. Add this gateway to your program, or press its button to
sign in, and go on here in the same browser.</p>`,
  );
}
