/** Reads YAML exports. */
import { type Document, parseAllDocuments, visit } from 'yaml';
import { type ConfigFile, invalidConfig } from './source.ts';

/**
 * The documents of a file, as JSON values. Keys are texts, such as the label `1` or `null`; so are
 * numbers with a fraction. Throws InvalidError `invalid_config` with the line of the error.
 */
export function parseYaml({ file, text }: ConfigFile): unknown[] {
  const fail = (message: string, line = 1): never => {
    throw invalidConfig({ file, line }, message);
  };
  let documents: Document[];
  try {
    documents = [...parseAllDocuments(text, { schema: 'failsafe', logLevel: 'error' })];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail('values are nested too deep');
  }
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined) fail(error.message.replace(/ at line \d[\s\S]*$/, ''), error.linePos?.[0].line);
    visit(document, {
      Scalar: (key, node) => {
        if (key !== 'key' && node.type === 'PLAIN') node.value = scalarOf(node.source ?? '');
      },
    });
  }
  return documents.map((document) => {
    try {
      return document.toJS();
    } catch (error) {
      // An alias without an anchor, aliases that multiply the document, or a key that is no text.
      return fail((error as Error).message);
    }
  });
}

/** A text without quotes is also a whole number, true, false or null. */
function scalarOf(text: string): unknown {
  if (/^(-?[1-9]\d{0,14}|0)$/.test(text)) return Number(text);
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^(null|~|)$/i.test(text) ? null : text;
}
