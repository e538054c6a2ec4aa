// The served OpenAPI document as the fuzzer reads it.

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
}

interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  schema: JsonSchema;
}

export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  /** The body's content type and schema, where it takes one. */
  body: { type: string; schema: JsonSchema } | null;
}

export interface ServedDocument {
  paths: Record<
    string,
    Record<string, { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: JsonSchema }> } }>
  >;
  components: { schemas: Record<string, JsonSchema> };
}

export function operationsOf(document: ServedDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]) => {
      const [body] = Object.entries(requestBody?.content ?? {});
      return {
        method: method.toUpperCase(),
        path,
        // Referenced parameters are headers that every route accepts.
        parameters: (parameters ?? []).filter((parameter) => !("$ref" in parameter)),
        body: body === undefined ? null : { type: body[0], schema: body[1].schema },
      };
    }),
  );
}
