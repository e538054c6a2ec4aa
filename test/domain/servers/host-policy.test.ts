// The host policy for each spelling of a host.

import { describe, expect, it } from "vitest";
import { judgeUrl } from "../../../src/domain/servers/host-policy";

const wide = (text: string) => [...text].map((c) => String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0)).join("");

/** Allowed everywhere. */
const ALLOWED = [
  "https://example.com/mcp",
  "https://EXAMPLE.com/mcp",
  "HTTPS://example.com/mcp",
  "https://mcp.example.co.uk:443/",
  "https://example.com:8443/mcp",
  "https://example.com:1024/",
  "https://example.com:65535/",
  "https://a-b.c_d.example.com/x?y=z#f",
  "https://bücher.de/mcp",
  "https://xn--bcher-kva.de/mcp",
  "https://例え.jp/mcp",
  "https://example。com/mcp",
  `https://${wide("example")}.com/`,
  "https://127.0.0.1.nip.io/",
  "https://localhost.example.com/",
  "https://local.dev/",
  "https://1.1.1.1.com/",
  "https://example.com/?u=http://127.0.0.1/",
  "https://example.com/@evil",
  "https://internal.example.com/mcp",
];

/** Hosts of this machine, and http: only in development builds. */
const DEVELOPMENT = [
  "http://example.com/mcp",
  "http://example.com:8080/mcp",
  "https://example.com:22/",
  "https://example.com:1023/",
  "https://example.com:80/",
  "http://localhost:3000/mcp",
  "http://LOCALHOST/",
  "https://localhost/",
  "https://app.localhost/",
  "http://127.0.0.1:3101/mcp",
  "http://127.1/",
  "http://127.255.255.254/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  `http://${wide("127")}.0.0.1/`,
  "http://127。0。0。1/",
  "http://①②⑦.0.0.1/",
  "http://127.0.0.1./",
  "http://[::1]:3000/mcp",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://%6cocalhost/",
  "http://ⓛocalhost/",
];

/** Never. */
const REFUSED = [
  // IPv4 addresses: private, link-local, metadata, CGNAT, benchmarks, documentation, multicast, reserved, unspecified.
  "https://10.0.0.1/",
  "https://10.1/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.1.1/",
  "https://192.168.257/",
  "https://0xc0a80101/",
  "https://3232235777/",
  "https://169.254.169.254/latest/meta-data/",
  "https://0xa9fea9fe/",
  "https://2852039166/",
  "https://0251.0376.0251.0376/",
  "https://169.254.43518/",
  "https://100.64.0.1/",
  "https://100.100.100.200/",
  "https://198.18.0.1/",
  "https://192.0.0.192/",
  "https://192.0.2.1/",
  "https://198.51.100.7/",
  "https://203.0.113.9/",
  "https://224.0.0.1/",
  "https://239.255.255.250/",
  "https://240.0.0.1/",
  "https://255.255.255.255/",
  "https://0.0.0.0/",
  "https://0/",
  "https://8.8.8.8/",
  `https://${wide("192.168.0.1")}/`,
  "https://10.0.0.1./",
  // IPv6 addresses: unspecified, unique local, link-local, mapped, compatible, NAT64, 6to4, Teredo, multicast, documentation.
  "https://[::]/",
  "https://[fc00::1]/",
  "https://[fd00:ec2::254]/",
  "https://[fe80::1]/",
  "https://[fe80::1%25eth0]/",
  "https://[fec0::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[0:0:0:0:0:ffff:a9fe:a9fe]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[64:ff9b:1::a00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
  "https://[ff02::1]/",
  "https://[100::1]/",
  "https://[2001:db8::1]/",
  "https://[2606:4700:4700::1111]/",
  // Names that only resolve in a private network.
  "https://intranet/",
  "https://metadata/",
  "https://printer.local/",
  "https://PRINTER.LOCAL/",
  "https://metadata.google.internal/",
  "https://db.internal/",
  "https://router.lan/",
  "https://nas.home/",
  "https://1.0.0.127.in-addr.arpa/",
  "https://box.home.arpa/",
  "https://wiki.corp/",
  "https://host.localdomain/",
  "https://facebookcorewwwi.onion/",
  "https://server.test/",
  "https://server.invalid/",
  "https://ｐｒｉｎｔｅｒ．ｌｏｃａｌ/",
  // Trailing dots.
  "https://example.com./",
  "https://localhost./",
  "https://printer.local./",
  "https://example.com../",
  "https://.example.com/",
  "https://example..com/",
  // Credentials in the URL.
  "https://user@example.com/",
  "https://user:secret@example.com/",
  "https://:secret@example.com/",
  "https://example.com@10.0.0.1/",
  "https://example.com:443@10.0.0.1/",
  // Other schemes and other spellings.
  "ftp://example.com/",
  "file:///etc/passwd",
  "ws://example.com/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "gopher://example.com/",
  "//example.com/",
  "example.com/mcp",
  "https:example.com",
  "https:/example.com",
  "https:///example.com/",
  "https:\\\\example.com\\",
  "https://example.com\\@10.0.0.1/",
  " https://example.com/",
  "https://example.com/\n",
  "https://exa\tmple.com/",
  "https://exa\u00admple.com/",
  "https://example.com\u200b/",
  "https://example.com\u0000/",
  "https://example.com:99999/",
  "https://example.com:port/",
  "https://exa mple.com/",
  "https://exa%00mple.com/",
  "https://-example.com/",
  "https://example-.com/",
  `https://${"a".repeat(64)}.com/`,
  `https://${"a.".repeat(130)}com/`,
  `https://example.com/${"a".repeat(5_000)}`,
  "https://256.256.256.256/",
  "https://1.2.3.4.5/",
  "https://0x7f.0x0.0x0.0x100/",
  "https://",
  "",
];

describe("the host policy", () => {
  it.each(ALLOWED)("allows %s", (text) => {
    expect(judgeUrl(text, false).problem).toBeUndefined();
    expect(judgeUrl(text, true).problem).toBeUndefined();
  });

  it.each(DEVELOPMENT)("allows in development only: %s", (text) => {
    expect(judgeUrl(text, false).problem).toMatch(/not allowed|only https/);
    expect(judgeUrl(text, true).problem).toBeUndefined();
  });

  it.each(REFUSED)("refuses %s", (text) => {
    for (const development of [false, true]) {
      const { problem } = judgeUrl(text, development);
      expect(problem).toBeTypeOf("string");
    }
  });

  it("rejects over http what it rejects over https", () => {
    for (const text of REFUSED.filter((one) => one.startsWith("https://"))) {
      expect(judgeUrl(text.replace("https", "http"), true).problem, text).toBeTypeOf("string");
    }
  });

  it("quotes nothing of the URL, which may hold a secret", () => {
    for (const text of [
      "https://user:hunter2@example.com/",
      "https://10.0.0.1/?key=hunter2",
      "hunter2",
      "https://h unter2/",
    ])
      expect(judgeUrl(text, false).problem).not.toContain("unter2");
  });
});
