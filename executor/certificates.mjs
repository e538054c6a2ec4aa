// Creates the certificates of a run: an authority that only this run trusts, and a certificate for each host that its proxy stands in for
// (X.509, RFC 5280, with ECDSA on P-256).

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** Milliseconds before and after the creation for which certificates are valid. A run takes minutes; clocks in containers can differ. */
const VALID = { before: 24 * 3_600_000, after: 48 * 3_600_000 };

/** Encoded object identifiers. */
const OID = {
  ecdsaWithSha256: "06082a8648ce3d040302",
  commonName: "0603550403",
  subjectKeyId: "0603551d0e",
  keyUsage: "0603551d0f",
  subjectAltName: "0603551d11",
  basicConstraints: "0603551d13",
  authorityKeyId: "0603551d23",
  extendedKeyUsage: "0603551d25",
  serverAuth: "06082b06010505070301",
};
const TRUE = Buffer.from("0101ff", "hex");

/** A DER value with its tag and length. */
function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const digits = length.toString(16);
  const size = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, body]);
}
const sequence = (...parts) => der(0x30, ...parts);
const octets = (...parts) => der(0x04, ...parts);
const bits = (unused, bytes) => der(0x03, Buffer.from([unused]), bytes);
const oid = (name) => Buffer.from(OID[name], "hex");
const nameOf = (text) => sequence(der(0x31, sequence(oid("commonName"), der(0x0c, Buffer.from(text)))));
const extension = (name, value, isCritical = false) =>
  sequence(oid(name), ...(isCritical ? [TRUE] : []), octets(value));

/** UTCTime, which RFC 5280 requires for dates before 2050. */
function time(date) {
  const text = date.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(text.slice(2), "latin1"));
}

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicBytes = (key) => key.export({ type: "spki", format: "der" });
const keyId = (key) => createHash("sha1").update(publicBytes(key)).digest();

function certificate({ subject, issuer, publicKey, signedWith, extensions }) {
  const algorithm = sequence(oid("ecdsaWithSha256"));
  const now = Date.now();
  // A serial number is positive and has at most 20 bytes.
  const serial = Buffer.concat([Buffer.from([0x40]), randomBytes(15)]);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    nameOf(issuer),
    sequence(time(new Date(now - VALID.before)), time(new Date(now + VALID.after))),
    nameOf(subject),
    publicBytes(publicKey),
    der(0xa3, sequence(...extensions)),
  );
  const text = sequence(body, algorithm, bits(0, sign("sha256", body, signedWith))).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** The bytes of an IP address (RFC 4291 for version 6). */
function addressBytes(host) {
  if (isIP(host) === 4) return Buffer.from(host.split(".").map(Number));
  const [head = "", tail] = host.split("::");
  const groups = (text) => text.split(":").filter((group) => group !== "");
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** The authority of one run. Its key never leaves this process. */
export class Authority {
  #ca = newKey();
  #name = `Skill run ${randomBytes(8).toString("hex")}`;
  #leaf = newKey();

  /** The certificate of the authority, in PEM. */
  certificate = certificate({
    ...{ subject: this.#name, issuer: this.#name, publicKey: this.#ca.publicKey, signedWith: this.#ca.privateKey },
    extensions: [
      // No further authority can be derived from it (path length 0).
      extension("basicConstraints", sequence(TRUE, der(0x02, Buffer.from([0]))), true),
      // keyCertSign and cRLSign
      extension("keyUsage", bits(1, Buffer.from([0x06])), true),
      extension("subjectKeyId", octets(keyId(this.#ca.publicKey))),
    ],
  });

  /**
   * Returns a key and a certificate for a host, in PEM.
   * @param {string} host a name, or an IP address without brackets
   */
  issue(host) {
    const { publicKey, privateKey } = this.#leaf;
    const alternative = isIP(host) === 0 ? der(0x82, Buffer.from(host, "latin1")) : der(0x87, addressBytes(host));
    const cert = certificate({
      // A common name has at most 64 characters, and clients use the alternative name.
      ...{ subject: host.slice(0, 64), issuer: this.#name, publicKey, signedWith: this.#ca.privateKey },
      extensions: [
        extension("basicConstraints", sequence(), true),
        // digitalSignature
        extension("keyUsage", bits(7, Buffer.from([0x80])), true),
        extension("extendedKeyUsage", sequence(oid("serverAuth"))),
        extension("subjectAltName", sequence(alternative)),
        extension("subjectKeyId", octets(keyId(publicKey))),
        extension("authorityKeyId", sequence(der(0x80, keyId(this.#ca.publicKey)))),
      ],
    });
    return { key: privateKey.export({ type: "pkcs8", format: "pem" }), cert };
  }
}
