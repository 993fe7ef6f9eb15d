/**
 * The Node of a release, as npm has it: one version, so that the same commit gives the same bytes.
 * It is the newest line for which uWebSockets.js has a binary that runs on every Linux that the
 * release supports (docs/internals/dependencies.md).
 */
export const NODE = {
  version: '22.23.5',
  /** NODE_MODULE_VERSION, `process.versions.modules`. */
  abi: '127',
};
