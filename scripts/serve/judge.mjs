// Decides how a request of `npm run serve` is passed to the Worker: for which client address, and with which headers.

import { BlockList, isIP } from "node:net";

/** Headers of one connection (RFC 9110, 7.6.1), and `Expect`, which the server answers itself. */
const HOP_BY_HOP = new Set(
  "connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade expect".split(
    " ",
  ),
);
/** Headers that only a proxy in front may set. They reach the Worker from nobody. */
const OF_PROXIES = /^(?:host|forwarded|x-forwarded-.*|x-real-ip|true-client-ip|cf-.*|mf-.*)$/;

/** @typedef {{ status: number, code: string, detail: string, location?: string }} Refused */
/** @typedef {{ address: string, headers: [string, string][], isForwardedIgnored: boolean }} Passed */

/**
 * Returns the matcher of TRUSTED_PROXIES.
 * @param {readonly string[]} entries addresses and networks, such as `127.0.0.1` or `10.0.0.0/8`, which the table of settings has checked
 * @returns {(address: string) => boolean}
 */
export function proxyMatcher(entries) {
  const list = new BlockList();
  for (const entry of entries) {
    const [address, bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/**
 * Judges one request.
 * @param {{ method: string, url: string, rawHeaders: string[], peer: string }} request `peer`: the other end of the connection
 * @param {{ origin: URL, hosts: ReadonlySet<string>, isProxy: (address: string) => boolean }} policy `hosts`: values of `Host`, in lower
 * case, that are this gateway
 * @returns {Refused | Passed}
 */
export function judgeRequest({ method, url, rawHeaders, peer }, { origin, hosts, isProxy }) {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i) => [
    rawHeaders[2 * i].toLowerCase(),
    rawHeaders[2 * i + 1],
  ]);
  const valuesOf = (name) => pairs.filter(([each]) => each === name).map(([, value]) => value);
  if (!url.startsWith("/"))
    return refused(400, "REQUEST_TARGET_INVALID", "The request line has no path. Send a path that begins with '/'.");
  const [host, ...others] = valuesOf("host");
  if (host === undefined || others.length > 0 || !hosts.has(host.toLowerCase()))
    return refused(421, "HOST_UNKNOWN", `This server is not the requested host. Use ${origin.origin}.`);

  const direct = plainAddress(peer);
  const isForwarded = isProxy(direct);
  if (isForwarded && schemeOf(valuesOf("x-forwarded-proto")) === "http" && origin.protocol === "https:") {
    const location = `${origin.origin}${url}`;
    if (method === "GET" || method === "HEAD")
      return { ...refused(308, "HTTPS_REQUIRED", `Use ${origin.origin}.`), location };
    return refused(403, "HTTPS_REQUIRED", `The request was sent without encryption. Use ${origin.origin}.`);
  }
  const forwarded = valuesOf("x-forwarded-for").join(",");
  const named = new Set(
    valuesOf("connection").flatMap((value) =>
      value
        .toLowerCase()
        .split(",")
        .map((name) => name.trim()),
    ),
  );
  return {
    address: isForwarded ? clientIn(forwarded, direct, isProxy) : direct,
    headers: pairs.filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name) && !OF_PROXIES.test(name)),
    isForwardedIgnored: !isForwarded && forwarded !== "",
  };
}

/** Returns the headers of a response that are not of the connection to the Worker. */
export function responseHeaders(rawHeaders) {
  const kept = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!HOP_BY_HOP.has(rawHeaders[i].toLowerCase())) kept.push(rawHeaders[i], rawHeaders[i + 1]);
  }
  return kept;
}

/**
 * Returns the client's address: the last entry of `X-Forwarded-For` that is not a trusted proxy. Entries before it can be invented by the
 * client.
 */
function clientIn(forwarded, peer, isProxy) {
  let address = peer;
  for (const entry of forwarded.split(",").reverse()) {
    const next = plainAddress(entry.trim());
    if (isIP(next) === 0) return address;
    address = next;
    if (!isProxy(address)) return address;
  }
  return address;
}

/** The scheme that the nearest proxy reports. */
const schemeOf = (values) => values.join(",").split(",").at(-1)?.trim().toLowerCase();

/** Returns an IPv4 address in its plain form also where a socket of both families reports it as an IPv6 address. */
function plainAddress(address) {
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

const refused = (status, code, detail) => ({ status, code, detail });
