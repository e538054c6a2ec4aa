// Names the signed statement about a downloaded version.

/** Returns a `Link` header with the URL of the signed statement about a version (RFC 8288). */
export function attestationLink(skillId: string, versionId: string): string {
  return describedBy(`/api/v1/kinds/skills/${skillId}/versions/${versionId}/attestation`);
}

/** Returns a `Link` header with the statement that an index serves next to an archive. */
export function siblingAttestation(sha256: string): string {
  return describedBy(`${sha256}.json`);
}

const describedBy = (target: string) => `<${target}>; rel="describedby"; type="application/json"`;
