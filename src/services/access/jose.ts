// What is used of jose, and nothing else: a module that is imported when it is needed brings all that it exports.

export { createLocalJWKSet, errors, jwtVerify } from "jose";
