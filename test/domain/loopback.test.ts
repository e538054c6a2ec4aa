import { describe, expect, it } from "vitest";
import { isLocalHttp, isLoopback } from "../../src/domain/loopback";

const OWN = [
  "http://localhost",
  "http://localhost:5173/page",
  "http://127.0.0.1:6274",
  "http://127.1/",
  "http://[::1]:80",
];
const WIDER = ["http://app.localhost", "http://127.0.0.2", "https://localhost"];
const OTHERS = [
  "http://localhost.evil.example",
  "http://127.0.0.1.nip.io",
  "http://localhost@evil.example",
  "http://notlocalhost",
  "http://[::2]",
  "http://10.0.0.1",
];

describe("this machine", () => {
  it.each(OWN)("is %s, and trusted without TLS", (text) => {
    expect([isLoopback(new URL(text).hostname), isLocalHttp(new URL(text))]).toEqual([true, true]);
  });

  it.each(WIDER)("is %s, but nothing is trusted for it", (text) => {
    expect([isLoopback(new URL(text).hostname), isLocalHttp(new URL(text))]).toEqual([true, false]);
  });

  it.each(OTHERS)("is not %s", (text) => {
    expect([isLoopback(new URL(text).hostname), isLocalHttp(new URL(text))]).toEqual([false, false]);
  });
});
