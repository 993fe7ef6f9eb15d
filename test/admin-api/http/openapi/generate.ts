/** Generates the types of a client from the document with openapi-typescript. */
import { register } from 'node:module';

const HEAD = `// Made by "npm run openapi" from GET /api/v1/openapi.json; not to be edited.\n\n`;

/** Path of the types, relative to this file when it is compiled. */
export const TYPES_FILE = new URL('../../../../../admin-api/dashboard/api/generated.ts', import.meta.url);

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
  return HEAD + astToString(nodes).split('\n').flatMap(wrapComment).join('\n');
}

const COLUMNS = 100;

/** The lines of a comment line that is too long; other lines stay. */
function wrapComment(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const whole = /^( *)\/\*\* (.*) \*\/$/.exec(line);
  if (whole !== null) return [`${whole[1]}/**`, ...wrapText(`${whole[1]} * `, whole[2]), `${whole[1]} */`];
  const part = /^( *\* )(.*)$/.exec(line);
  return part === null ? [line] : wrapText(part[1], part[2]);
}

function wrapText(prefix: string, text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(prefix + word);
  }
  return lines;
}
