// Runs every client with a driver in every case: `npm run try:clients`.

import { aiAnthropic, aiCompatible, aiOpenaiChat, aiOpenaiResponses } from "../support/clients/ai-sdk";
import { anthropicSdk } from "../support/clients/anthropic";
import { openaiChat, openaiResponses } from "../support/clients/openai";
import { describeClients } from "../support/clients/suite";
import { agentsChat, agentsResponses } from "./clients/agents";
import { langchainChat, langchainResponses } from "./clients/langchain";
import { promptfooChat } from "./clients/promptfoo";

describeClients([
  ...[openaiChat, openaiResponses, anthropicSdk],
  ...[aiOpenaiChat, aiOpenaiResponses, aiCompatible, aiAnthropic],
  ...[agentsChat, agentsResponses, langchainChat, langchainResponses, promptfooChat],
]);
