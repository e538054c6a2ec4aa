// Starts the gateway that several files of the browser tests share.

import type { TestProject } from "vitest/node";
import { Gateway } from "./gateway";

declare module "vitest" {
  interface ProvidedContext {
    sharedGateway: { url: string; key: string };
  }
}

/** Vitest calls this before it starts processes. Returns how to stop the gateway. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const gateway = await Gateway.start({}, 0, project.getProvidedContext().preparedState);
  const { url, key } = gateway;
  project.provide("sharedGateway", { url, key });
  return () => gateway.stop();
}
