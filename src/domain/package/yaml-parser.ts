// What is used of yaml, and nothing else: a module that is imported when it is needed brings all that it exports.

export { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
