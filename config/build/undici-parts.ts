/**
 * undici's index loads all of its parts, 1 MB of code: fetch, mocks, caches. The daemon connects
 * and sends requests, so modules that import undici get these parts alone. `import('undici')` gets
 * all.
 */
import type { Plugin } from 'esbuild';

/** As undici's index does it: requests are sent by methods of agents and pools. */
const PARTS = `
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import request from 'undici/lib/api/api-request.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
Dispatcher.prototype.request = request;
`;

export const undiciInParts: Plugin = {
  name: 'undici in parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ kind, resolveDir }) =>
      kind === 'import-statement' ? { path: 'undici', namespace: 'parts', pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /^undici$/, namespace: 'parts' }, ({ pluginData: resolveDir }) => ({
      contents: PARTS,
      resolveDir: resolveDir as string,
    }));
  },
};
