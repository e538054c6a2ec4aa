// The claims of a token.

export type Claims = { readonly [claim: string]: unknown };
