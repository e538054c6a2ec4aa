// Generates the OpenAPI document from the sources, as the build does.

import { documentOf } from "../../src/api/reference/document";
import { wholeApp } from "../../src/edges";

let made: Promise<string> | undefined;

/** Returns the document as JSON text. */
export function openApiText(): Promise<string> {
  made ??= wholeApp().then((app) => JSON.stringify(documentOf(app)));
  return made;
}

/** Returns the document, as far as the caller reads it. */
export async function openApi<Document>(): Promise<Document> {
  return JSON.parse(await openApiText());
}
