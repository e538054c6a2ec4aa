import { describe, expect, it } from "vitest";
import { requireAllowed } from "../../../src/domain/chat/allowance";
import type { JsonObject } from "../../../src/domain/json";

const refusedFor = (text: string): string | null => {
  const body: JsonObject = JSON.parse(text);
  try {
    requireAllowed(body, text, {});
    return null;
  } catch (error) {
    return String((error as { param?: unknown }).param);
  }
};

describe("fields that refer to the operator's account", () => {
  it.each([
    `{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]}`,
    `{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id" : "f"}}]}]}`,
    `{"messages":[{"role":"user","content":[{"type":"file","file":{"file\\u005fid":"f"}}]}]}`,
    `{"messages":[{"role":"user","content":[{"type":"file","file":{"\\u0066ile_id"\t:\n"f"}}]}]}`,
    `{"input":[{"role":"user","content":[{"type":"input_file","file_id" :"f"}]}]}`,
    `{"system":[{"type":"document","source":{"type":"file","file_id":"f"}}],"messages":[]}`,
    `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"file_id":"f"}}]}]}]}`,
  ])("is found however it is spelled: %s", (text) => {
    expect(refusedFor(text)).toBe("file_id");
  });

  it.each([
    `{"messages":[{"role":"user","content":"\\"file_id\\": \\"f\\""}]}`,
    `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read","input":{"file_id":"f"}}]}]}`,
    `{"messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"file_id":{"type":"string"}}}}}]}`,
  ])("are not searched in texts, tool schemas and call arguments: %s", (text) => {
    expect(refusedFor(text)).toBe(null);
  });

  it.each([
    `{"messages":[],"thread":{"type":"continue","previous_message_id":"m"}}`,
    `{"messages":[],"diagnostics":{"previous_message_id":"m"}}`,
    `{"messages":[],"workspace_id":"w"}`,
    `{"messages":[],"user_profile_id":"u"}`,
  ])("is refused at the top of a request: %s", (text) => {
    expect(refusedFor(text)).toBe(Object.keys(JSON.parse(text))[1]);
  });
});
