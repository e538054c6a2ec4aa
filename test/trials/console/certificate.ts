// Creates a certificate for the names of a local proxy. Only a browser that is started with the digest of its key trusts it.

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
  /** The digest of its public key, in the format of `--ignore-certificate-errors-spki-list`. */
  pin: string;
}

const ECDSA_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const ALTERNATIVE_NAMES = "551d11";

/** Creates a self-signed certificate (RFC 5280) that is valid for one day. */
export function certificateFor(names: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const algorithm = sequence(oid(ECDSA_SHA256));
  const who = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from("a local proxy")))));
  const now = Date.now();
  const alternatives = sequence(...names.map((name) => der(0x82, Buffer.from(name))));
  const body = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    who,
    sequence(time(now - 3_600_000), time(now + 86_400_000)),
    who,
    spki,
    der(0xa3, sequence(sequence(oid(ALTERNATIVE_NAMES), der(0x04, alternatives)))),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.of(0), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64")}\n-----END CERTIFICATE-----\n`,
    pin: createHash("sha256").update(spki).digest("base64"),
  };
}

/** Encodes one value in DER: tag, length and content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const integer = (bytes: Uint8Array) => der(0x02, bytes);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const time = (at: number) => der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
