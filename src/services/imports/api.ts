// The interface of an import's Durable Object.

export interface ImportObject {
  /** Continues an import immediately. */
  wake(id: string): Promise<void>;
  /** Deletes all data and aborts what is running. */
  end(): Promise<void>;
}

/** Returns the object of an import. */
export type OpenImport = (id: string) => ImportObject;
