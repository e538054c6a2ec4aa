// Chat clients from their own packages, unmodified but for URL and key, before vendors that refuse what the real ones refuse. Those that
// are too large to be installed here are tried by `npm run try:clients`, in the same cases.

import { aiAnthropic, aiCompatible, aiOpenaiChat } from "../../support/clients/ai-sdk";
import { anthropicSdk } from "../../support/clients/anthropic";
import { openaiChat } from "../../support/clients/openai";
import { describeClients } from "../../support/clients/suite";

describeClients([openaiChat, anthropicSdk, aiOpenaiChat, aiCompatible, aiAnthropic]);
