// Chat clients from their own packages, unmodified but for URL and key, before vendors that refuse what the real ones refuse. Those that
// are too large to be installed here are tried by `npm run try:clients`, in the same cases.

import { aiAnthropic, aiCompatible, aiOpenaiChat, aiOpenaiResponses } from "../../support/clients/ai-sdk";
import { anthropicSdk } from "../../support/clients/anthropic";
import { openaiChat, openaiResponses } from "../../support/clients/openai";
import { describeClients } from "../../support/clients/suite";

describeClients([
  ...[openaiChat, openaiResponses, anthropicSdk],
  ...[aiOpenaiChat, aiOpenaiResponses, aiCompatible, aiAnthropic],
]);
