/** Types of a client, made from the document by openapi-typescript. */
import { register } from 'node:module';

const HEAD = `// Made by "npm run openapi" from GET /api/v1/openapi.json; not to be edited.\n\n`;

/** Where the types stand, seen from this file when it is compiled. */
export const TYPES_FILE = new URL('../../../../test/admin-api/openapi/generated.ts', import.meta.url);

const COMPILER = JSON.stringify(new URL('./compiler.js', import.meta.url).href);
const HOOK = `export const resolve = (name, context, next) =>
  name === 'typescript' ? { url: ${COMPILER}, shortCircuit: true } : next(name, context);`;

// Before the generator is loaded, which is therefore done below.
register(`data:text/javascript,${encodeURIComponent(HOOK)}`);

/** The text of the module. */
export async function generateTypes(document: object): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  // It writes into what it is given.
  const nodes = await openapiTS(JSON.stringify(document));
  return HEAD + astToString(nodes);
}
