/** Generates the types of a client from the document with openapi-typescript. */
import { register } from 'node:module';

const HEAD = `// Made by "npm run openapi" from GET /api/v1/openapi.json; not to be edited.\n\n`;

/** Path of the types, relative to this file when it is compiled. */
export const TYPES_FILE = new URL('../../../../test/admin-api/openapi/generated.ts', import.meta.url);

const COMPILER = JSON.stringify(new URL('./compiler.js', import.meta.url).href);
const HOOK = `export const resolve = (name, context, next) =>
  name === 'typescript' ? { url: ${COMPILER}, shortCircuit: true } : next(name, context);`;

// Set before the generator is imported below.
register(`data:text/javascript,${encodeURIComponent(HOOK)}`);

/** The text of the module. */
export async function generateTypes(document: object): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  // A copy, because the generator modifies its input.
  const nodes = await openapiTS(JSON.stringify(document));
  return HEAD + astToString(nodes);
}
