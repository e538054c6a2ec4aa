// Creates a marketplace for Claude Code and Copilot, with a plugin for each skill.

/** Returns the version in a plugin's URL: its label if it is a software version, otherwise its number. */
export function pluginVersion(label: string | null, number: number): string {
  return label !== null && SEMVER.test(label) ? label : `0.0.${number}`;
}

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const NAME_CHARS = 64;

/** Contents of a plugin's manifest. */
export interface PluginFacts {
  name: string;
  description: string;
  version: string;
  author: string | null;
}

/** `.claude-plugin/plugin.json`. */
export function claudeManifest({ name, description, version, author }: PluginFacts): object {
  return { name, version, description, ...(author === null ? {} : { author: { name: author } }) };
}

/** A plugin in a marketplace. */
export interface OfferedPlugin extends PluginFacts {
  /** Absolute, because clients do not resolve relative URLs in a marketplace that they read from a URL. */
  url: string;
  sha256: string;
  /** URL of the signed statement about the version; `null` if the gateway does not sign. */
  attestation: string | null;
}

/** `.claude-plugin/marketplace.json`. */
export function marketplace(place: { host: string; what: string }, plugins: readonly OfferedPlugin[]): object {
  return {
    name: marketplaceName(place),
    owner: { name: `Skill Gateway at ${place.host}` },
    metadata: { description: `Skills of the gateway at ${place.host}: ${place.what}.` },
    plugins: plugins.map(({ url, sha256, attestation, ...facts }) => ({
      ...claudeManifest(facts),
      // Clients ignore fields that they do not know.
      ...(attestation === null ? {} : { attestation }),
      source: { source: "archive", url, sha256 },
    })),
  };
}

/** Returns a marketplace name that is unique among a client's marketplaces: a-z, 0-9 and single hyphens. */
export function marketplaceName({ host, what }: { host: string; what: string }): string {
  const words = `${what} ${host}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, NAME_CHARS).replace(/-$/, "");
}
