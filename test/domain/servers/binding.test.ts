import { describe, expect, it } from "vitest";
import { bindingProblem, isBoundHost } from "../../../src/domain/servers/binding";

const release = (hosts: string[], url: string) => bindingProblem(hosts, new URL(url), false);
const development = (hosts: string[], url: string) => bindingProblem(hosts, new URL(url), true);

describe("a binding", () => {
  it.each([
    ["api.example.com", "https://api.example.com/x"],
    ["API.example.com", "https://api.EXAMPLE.com:443/x"],
    ["api.example.com:443", "https://api.example.com/"],
    ["api.example.com:8443", "https://api.example.com:8443/"],
    ["*.example.com", "https://a.b.example.com/"],
    ["*.example.com:8443", "https://a.example.com:8443/"],
  ])("of %s allows %s", (host, url) => {
    expect(release([host], url)).toBeNull();
    expect(development([host], url)).toBeNull();
    expect(release(["other.example", host], url)).toBeNull();
  });

  it.each([
    ["api.example.com", "https://api.example.com:8443/", "is not bound to api.example.com:8443"],
    ["api.example.com:8443", "https://api.example.com/", "is not bound to api.example.com:443"],
    ["api.example.com", "http://api.example.com/", "is sent over https only, and not to http://api.example.com"],
    ["api.example.com:80", "http://api.example.com/", "is sent over https only, and not to http://api.example.com"],
    ["*.example.com", "https://example.com/", "is not bound to the host example.com"],
    ["*.example.com", "https://badexample.com/", "is not bound to the host badexample.com"],
    ["example.com", "https://a.example.com/", "is not bound to the host a.example.com"],
    ["*.example.com:8443", "https://a.example.com/", "is not bound to a.example.com:443"],
  ])("of %s does not allow %s", (host, url, problem) => {
    expect(release([host], url)).toBe(problem);
    expect(development([host], url)).toBe(problem);
  });

  it("to this machine means any of its servers while developing, unless it names a port", () => {
    for (const url of ["http://localhost:4711/", "https://localhost/", "http://localhost/"]) {
      expect(development(["localhost"], url)).toBeNull();
    }
    expect(development(["127.0.0.1:4711"], "http://127.0.0.1:4711/")).toBeNull();
    expect(development(["localhost:80"], "http://localhost/")).toBeNull();
    expect(development(["127.0.0.1:4711"], "http://127.0.0.1:4712/")).toBe("is not bound to 127.0.0.1:4712");
    expect(release(["localhost"], "http://localhost:4711/")).toMatch(/https only/);
  });

  it("is a host name, with a port that there is", () => {
    for (const host of ["a.example", "*.a.example", "a.example:1", "a.example:65535"])
      expect(isBoundHost(host)).toBe(true);
    const others = ["", "*", "a.*", "*a.example", "a.example:", "a.example:0", "a.example:065", "a.example:65536"];
    for (const host of [...others, "https://a.example", "a.example/x", "a.example:80:80", "a b", "u@a"]) {
      expect(isBoundHost(host), host).toBe(false);
    }
  });
});
