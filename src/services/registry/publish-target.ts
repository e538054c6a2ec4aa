// Where a package is to be published.

/** Where an upload goes: into a namespace under the name it brings, or into the skill that it replaces. */
export type PublishTarget =
  | {
      scope: string;
      namespace: string;
      userId: string;
      id?: undefined /** Whatever has the name already keeps it. */;
      isNew?: true;
    }
  | { scope: string; id: string; name: string };
