// Re-exports the used parts of the MCP client. A dynamic import of the package itself would include all its exports.

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
