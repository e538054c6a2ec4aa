// Re-exports the used parts of jose, because a lazily imported module brings everything it exports.

export { createLocalJWKSet, decodeJwt, errors, jwtVerify } from "jose";
