// Unmodified chat clients from their own packages, with only URL and key set. The vendors behind the gateway reject what the real vendors
// reject. `npm run try:clients` runs the same cases with clients that are too large to install here.

import { aiAnthropic, aiCompatible, aiOpenaiChat, aiOpenaiResponses } from "../../support/clients/ai-sdk";
import { anthropicSdk } from "../../support/clients/anthropic";
import { openaiChat, openaiResponses } from "../../support/clients/openai";
import { describeClients } from "../../support/clients/suite";

describeClients([
  ...[openaiChat, openaiResponses, anthropicSdk],
  ...[aiOpenaiChat, aiOpenaiResponses, aiCompatible, aiAnthropic],
]);
