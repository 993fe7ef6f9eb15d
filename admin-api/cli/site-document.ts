/**
 * Commands for the documents of a domain's sites: each is printed, replaced and edited as a whole,
 * on the condition that nobody else has changed it in between.
 */
import type { Command } from 'commander';
import { asObject, type Json } from './client.ts';
import type { CommandContext } from './command.ts';
import { type Domain, domainPath } from './domains.ts';
import { CliError } from './errors.ts';
import type { Input } from './io.ts';
import { rowsOf } from './pages.ts';
import { readText } from './text-file.ts';
import { addVerb, type Call, option } from './verb.ts';

export interface ListDocument {
  /** The command, and the last part of the path. */
  readonly name: string;
  /** Of the list, the only field of the document. */
  readonly field: string;
  /** Of one item, and of several. */
  readonly nouns: readonly [one: string, several: string];
}

export const documentPath = (domain: Domain, name: string): string => domainPath(domain, `/proxy/${name}`);

/** Adds `get` and `set`, for JSON files. */
export function addListVerbs(group: Command, context: CommandContext, document: ListDocument): void {
  const { name, field, nouns } = document;
  addVerb(group, context, {
    usage: 'get <domain>',
    about: 'print the document of a domain, which "set" reads',
    examples: [`waypost ${name} get example.com > ${name}.json`],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const body = await call.api.json({ method: 'GET', path: documentPath(domain, name) });
      call.io.stdout.write(asDocument({ [field]: body[field], revision: body.revision }));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'set <domain> <file>',
    about: 'replace the document of a domain; "-" reads standard input',
    more: 'A "revision" in the file is that of the document that it replaces: if it is another, nothing is changed.',
    options: [option('--force', 'also if the document has changed since its "revision" was read')],
    examples: [
      `waypost ${name} set example.com ${name}.json`,
      `echo '{"${field}":[]}' | waypost ${name} set example.com -`,
    ],
    async run(call: Call<{ force?: boolean }>, [domainName, file]) {
      const json = await readDocument(file, call.io.stdin, document);
      const domain = await call.domain(domainName);
      const isFree = call.options.force === true || json.revision === undefined;
      const headers = { 'if-match': isFree ? '*' : `"${json.revision}"` };
      const body = await call.api.json({ method: 'PUT', path: documentPath(domain, name), json, headers });
      const { length } = rowsOf(body[field]);
      call.show(body, `set ${length} ${nouns[length === 1 ? 0 : 1]} of ${domain.domain}`);
      return true;
    },
  });
}

/** Reads, edits and replaces a document; fails if it changes in between. Returns the new one. */
export async function editDocument(
  { api }: Call,
  path: string,
  edit: (before: Json) => Json | Promise<Json>,
): Promise<Json> {
  const { body, headers } = await api.fetchJson({ method: 'GET', path });
  const { ok: _, ...before } = body;
  const json = await edit(before);
  return api.json({ method: 'PUT', path, json, headers: { 'if-match': String(headers.etag ?? '*') } });
}

/** Throws CliError `unreadable` or `malformed`. */
export async function readDocument(file: string, stdin: Input, { name, field }: ListDocument): Promise<Json> {
  const text = await readText(file, stdin);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError('malformed', `${file} is not JSON: ${(error as Error).message}`);
  }
  const document = asObject(value);
  if (document !== undefined && Array.isArray(document[field])) return document;
  throw new CliError(
    'malformed',
    `${file} must be an object with the list "${field}", as "waypost ${name} get" prints it.`,
  );
}

export const asDocument = (document: Json): string => `${JSON.stringify(document, null, 2)}\n`;
