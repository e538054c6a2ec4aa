// The tools and the prompt of the fixture upstream that need something of the client: sampling, elicitation, roots. In the 2025 era by a
// request during the call; since 2026-07-28 by a result that names what is missing, and a second call that contains it.

import { randomBytes } from "node:crypto";
import { acceptedContent, createRequestStateCodec, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import * as z from "zod";

/** Signs the state of a call between its rounds, because the client stores it and must not change it. */
export const requestState = createRequestStateCodec({ key: randomBytes(32) });

const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const named = object({ name: { type: "string" } });
const confirmed = object({ ok: { type: "boolean" } });

const elicit = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const sample = (question, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens });

export function addAskingTools(server) {
  addRequestsWithinACall(server);
  addRounds(server);
  addRoundsWithState(server);
  addCapabilityChecks(server);
}

/** As in 2025-11-25. A client of the modern era receives an error. */
function addRequestsWithinACall(server) {
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model.", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: "user", content: { type: "text", text: prompt } }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return text(`LLM response: ${content.text}`);
    },
  );
  const user = object({
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  });
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user.", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({ message, requestedSchema: user });
      return text(`User response: action: ${action}, content: ${JSON.stringify(content)}`);
    },
  );
  const forms = { test_elicitation_sep1034_defaults: DEFAULTS, test_elicitation_sep1330_enums: ENUMS };
  for (const [name, properties] of Object.entries(forms)) {
    server.registerTool(name, { description: "Asks the user to fill in a form." }, async ({ mcpReq }) => {
      const requestedSchema = object(properties, []);
      const { action, content } = await mcpReq.elicitInput({ message: "Please fill in the form.", requestedSchema });
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    });
  }
}

const status = { type: "string", enum: ["active", "inactive", "pending"], default: "active" };
const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status,
  verified: { type: "boolean", default: true },
};

const titles = (...words) => words.map((word, index) => ({ const: `value${index + 1}`, title: word }));
const plain = { type: "string", enum: ["option1", "option2", "option3"] };
const ENUMS = {
  untitledSingle: plain,
  titledSingle: { type: "string", oneOf: titles("First Option", "Second Option", "Third Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: plain },
  titledMulti: { type: "array", items: { anyOf: titles("First Choice", "Second Choice", "Third Choice") } },
};

/** Two rounds: a question, then the result with the answers. After an invalid answer the question is asked again. */
function addRounds(server) {
  const tool = (name, call) => server.registerTool(name, { description: "Asks once, then answers." }, call);

  tool("test_input_required_result_elicitation", ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "user_name", z.object({ name: z.string() }));
    if (answer !== undefined) return text(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { user_name: elicit("What is your name?", named) } });
  });
  tool("test_input_required_result_sampling", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return text(answer.result.content.text);
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  });
  tool("test_input_required_result_list_roots", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(", ")}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  tool("test_streaming_elicitation", async ({ mcpReq }) => {
    if (acceptedContent(mcpReq.inputResponses, "confirm") !== undefined) return text("Confirmed.");
    const progressToken = mcpReq._meta?.progressToken ?? "streaming";
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    return inputRequired({ inputRequests: { confirm: elicit("Please confirm", confirmed) } });
  });
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks what it is about." },
    ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "user_context", z.object({ context: z.string() }));
      if (answer !== undefined) {
        return { messages: [{ role: "user", content: { type: "text", text: `The context is: ${answer.context}` } }] };
      }
      const requestedSchema = object({ context: { type: "string" } });
      return inputRequired({
        inputRequests: { user_context: elicit("What context should the prompt use?", requestedSchema) },
      });
    },
  );
}

function addRoundsWithState(server) {
  const tool = (name, call) => server.registerTool(name, { description: "Asks, and knows where it was." }, call);

  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    tool(name, async ({ mcpReq }) => {
      const isBack =
        mcpReq.requestState() === "asked" && acceptedContent(mcpReq.inputResponses, "confirm") !== undefined;
      if (isBack) return text("state-ok");
      const inputRequests = { confirm: elicit("Please confirm", confirmed) };
      return inputRequired({ inputRequests, requestState: await requestState.mint("asked") });
    });
  }
  tool("test_input_required_result_multiple_inputs", async ({ mcpReq }) => {
    const kinds = ["user_name", "greeting", "client_roots"].map(
      (key) => inputResponse(mcpReq.inputResponses, key).kind,
    );
    if (kinds.join() === "elicit,sampling,roots") return text("Got all three.");
    const inputRequests = {
      user_name: elicit("What is your name?", named),
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await requestState.mint("asked") });
  });
  tool("test_input_required_result_multi_round", async ({ mcpReq }) => {
    const known = mcpReq.requestState() ?? {};
    const first = acceptedContent(mcpReq.inputResponses, "step1");
    const second = acceptedContent(mcpReq.inputResponses, "step2");
    if (known.name !== undefined && second !== undefined) return text(`${known.name} likes ${second.color}.`);
    if (known.step === 1 && first !== undefined) {
      const color = object({ color: { type: "string" } });
      const inputRequests = { step2: elicit("Step 2: What is your favorite color?", color) };
      return inputRequired({ inputRequests, requestState: await requestState.mint({ name: first.name }) });
    }
    const inputRequests = { step1: elicit("Step 1: What is your name?", named) };
    return inputRequired({ inputRequests, requestState: await requestState.mint({ step: 1 }) });
  });
}

function addCapabilityChecks(server) {
  const capabilities = ({ mcpReq }) => mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};

  // The SDK rejects sampling for a client that did not declare it.
  server.registerTool("test_missing_capability", { description: "Works only with a client that samples." }, () =>
    inputRequired({ inputRequests: { greeting: sample("Generate a greeting", 50) } }),
  );
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks only for what the client can give." },
    (context) => {
      const can = capabilities(context);
      return inputRequired({
        inputRequests: {
          ...(can.elicitation === undefined ? {} : { user_name: elicit("What is your name?", named) }),
          ...(can.sampling === undefined ? {} : { greeting: sample("Generate a greeting", 50) }),
        },
        requestState: "asked",
      });
    },
  );
}
