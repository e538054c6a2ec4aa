// The target of a publish.

/** A namespace with the name in the package, or an existing skill to replace. */
export type PublishTarget =
  | {
      scope: string;
      namespace: string;
      userId: string;
      id?: undefined /** An existing skill keeps its name. */;
      isNew?: true;
    }
  | { scope: string; id: string; name: string };
