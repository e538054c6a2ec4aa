// Every client that there is a driver for, in every case: `npm run try:clients`.

import { aiAnthropic, aiCompatible, aiOpenaiChat, aiOpenaiResponses } from "../test/support/clients/ai-sdk";
import { anthropicSdk } from "../test/support/clients/anthropic";
import { openaiChat, openaiResponses } from "../test/support/clients/openai";
import { describeClients } from "../test/support/clients/suite";
import { agentsChat, agentsResponses } from "./clients/agents";
import { langchainChat, langchainResponses } from "./clients/langchain";
import { promptfooChat } from "./clients/promptfoo";

describeClients([
  ...[openaiChat, openaiResponses, anthropicSdk],
  ...[aiOpenaiChat, aiOpenaiResponses, aiCompatible, aiAnthropic],
  ...[agentsChat, agentsResponses, langchainChat, langchainResponses, promptfooChat],
]);
