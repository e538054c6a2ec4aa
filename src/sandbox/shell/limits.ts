// Limits of a shell script. They end loops inside awk, sed and jq, which a timer cannot do: the clock of a Worker does not advance while it
// computes.

import { CODE_LIMITS } from "../../domain/limits";

const KiB = 1024;
const MiB = 1024 * KiB;
const ROUNDS = 100_000;

/** Keys are the option names of just-bash. */
export const SHELL_LIMITS = {
  maxSourceBytes: CODE_LIMITS.moduleBytes,
  maxHeredocSize: CODE_LIMITS.moduleBytes,
  maxCommandCount: ROUNDS,
  maxLoopIterations: ROUNDS,
  maxAwkIterations: ROUNDS,
  maxSedIterations: ROUNDS,
  maxJqIterations: ROUNDS,
  maxArrayElements: ROUNDS,
  maxGlobOperations: ROUNDS,
  maxBraceExpansionResults: 10_000,
  maxCallDepth: 100,
  maxExecDepth: 32,
  maxSourceDepth: 50,
  maxSubstitutionDepth: 50,
  maxFileDescriptors: 256,
  maxQueryTokens: ROUNDS,
  maxQueryDepth: 500,
  maxQueryElements: ROUNDS,
  maxAwkParserTokens: ROUNDS,
  maxAwkParserOperations: ROUNDS,
  maxTraversalEntries: ROUNDS,
  maxTraversalWork: 1_000_000,
  maxWorkUnits: 1_000_000,
  maxStringLength: 8 * MiB,
  maxOutputSize: 32 * MiB,
  maxLiveBytes: 64 * MiB,
  maxInputBytes: 32 * MiB,
  maxArchiveBytes: 32 * MiB,
  maxArchiveCompressedBytes: 16 * MiB,
  maxArchiveEntryBytes: 16 * MiB,
} as const;
