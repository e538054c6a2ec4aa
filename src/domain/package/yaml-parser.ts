// Re-exports the used parts of yaml. A dynamic import of the package itself would include all its exports.

export { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
