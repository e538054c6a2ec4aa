// What is used of the MCP client, and nothing else: a module that is imported when it is needed brings all that it exports.

export {
  Client,
  isSpecType,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
