// Certificates that the executor makes for a run, as OpenSSL and Node's TLS read them.

import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, createServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { Authority } from "../../executor/certificates.mjs";

const LONG = `${"a".repeat(60)}.${"b".repeat(60)}.example.org`;
const HOSTS = ["api.example.org", LONG, "127.0.0.1", "::1", "2001:db8::ff", "::"];

describe("the certificates of a run", () => {
  const authority = new Authority();
  const ca = new X509Certificate(authority.certificate);

  it("have an authority that signs hosts and nothing below", () => {
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(ca.toLegacyObject()).not.toHaveProperty("subjectaltname");
  });

  it.each(HOSTS)("name one host: %s", (host) => {
    const cert = new X509Certificate(authority.issue(host).cert);
    expect(cert.ca).toBe(false);
    expect(cert.verify(ca.publicKey)).toBe(true);
    expect(cert.checkIssued(ca)).toBe(true);
    expect(host.includes(":") || /^[\d.]+$/.test(host) ? cert.checkIP(host) : cert.checkHost(host)).toBe(host);
    expect(cert.checkHost("evil.example.com")).toBeUndefined();
    expect(cert.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    const hours = (Date.parse(cert.validTo) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(40);
    expect(hours).toBeLessThan(50);
  });

  it("differ in each run", () => {
    const other = new X509Certificate(new Authority().certificate);
    expect(new X509Certificate(authority.issue("a.example.org").cert).verify(other.publicKey)).toBe(false);
    const serials = Array.from({ length: 50 }, () => new X509Certificate(authority.issue("a.example.org").cert));
    expect(new Set(serials.map(({ serialNumber }) => serialNumber)).size).toBe(50);
  });

  it("are accepted by clients that trust the authority, and by no others", async () => {
    const server = createServer(authority.issue("api.example.org"), (socket) => socket.end());
    server.on("tlsClientError", () => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const tried = async (options: { ca?: string; servername: string }) => {
      const client = connect({ port, host: "127.0.0.1", ...options });
      try {
        await once(client, "secureConnect");
        return "connected";
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      } finally {
        client.destroy();
      }
    };
    const { certificate } = authority;
    expect(await tried({ ca: certificate, servername: "api.example.org" })).toBe("connected");
    expect(await tried({ ca: certificate, servername: "evil.example.com" })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await tried({ ca: new Authority().certificate, servername: "api.example.org" })).toMatch(/^UNABLE_TO/);
    expect(await tried({ servername: "api.example.org" })).toMatch(/^UNABLE_TO|SELF_SIGNED/);
    server.close();
  });

  it.runIf(spawnSync("openssl", ["version"]).status === 0)("pass the strict checks of OpenSSL", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "certificates-"));
    try {
      const file = (name: string) => path.join(folder, name);
      await writeFile(file("ca.pem"), authority.certificate);
      for (const host of HOSTS) {
        await writeFile(file("leaf.pem"), authority.issue(host).cert);
        const args = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", file("ca.pem"), file("leaf.pem")];
        const { status, stdout, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
        expect({ host, status, stderr, stdout }).toMatchObject({ host, status: 0, stderr: "" });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
