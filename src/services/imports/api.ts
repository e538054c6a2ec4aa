// What is asked of an import's object.

export interface ImportObject {
  /** Goes on with an import, at once. */
  wake(id: string): Promise<void>;
  /** Forgets everything, and ends what is under way. */
  end(): Promise<void>;
}

/** Finds the object of an import. */
export type OpenImport = (id: string) => ImportObject;
