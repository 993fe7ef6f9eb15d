/**
 * Commands for the documents of a domain's sites: each is printed, replaced and edited as a whole,
 * on the condition that no other client has changed it in between.
 */
import type { Command } from 'commander';
import { hasSecrets, type SiteDocumentKind } from '../../../core/store/rows/site-documents.ts';
import { asObject, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import type { Input } from '../base/io.ts';
import { rowsOf } from '../base/pages.ts';
import { readText } from '../base/text-file.ts';
import { addVerb, type Call, option } from '../base/verb.ts';

interface ListDocument {
  /** Also the command, the last part of the path, and the key of the list, the only field. */
  readonly kind: SiteDocumentKind;
  /** Singular and plural. */
  readonly nouns: readonly [one: string, several: string];
}

export const documentPath = (domain: Domain, name: string): string => `/api/v1/domains/${domain.id}/proxy/${name}`;

/** Adds `get` and `set`, for JSON files; `versions` and `restore`, if earlier versions are kept. */
export function addListVerbs(group: Command, context: CommandContext, document: ListDocument): void {
  const { kind: name, nouns } = document;
  addVerb(group, context, {
    usage: 'get <domain>',
    about: 'print the document of a domain, which "set" reads',
    examples: [`waypost ${name} get example.com > ${name}.json`],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const body = await call.api.json({ method: 'GET', path: documentPath(domain, name) });
      call.io.stdout.write(asDocument({ [name]: body[name], revision: body.revision }));
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
      `echo '{"${name}":[]}' | waypost ${name} set example.com -`,
    ],
    async run(call: Call<{ force?: boolean }>, [domainName, file]) {
      const json = await readDocument(file, call.io.stdin, document);
      const domain = await call.domain(domainName);
      const isFree = call.options.force === true || json.revision === undefined;
      const headers = { 'if-match': isFree ? '*' : `"${json.revision}"` };
      const body = await call.api.json({ method: 'PUT', path: documentPath(domain, name), json, headers });
      const { length } = rowsOf(body[name]);
      call.show(body, `set ${length} ${nouns[length === 1 ? 0 : 1]} of ${domain.domain}`);
      return true;
    },
  });
  if (!hasSecrets(name)) addVersionVerbs(group, context, document);
}

function addVersionVerbs(group: Command, context: CommandContext, { kind: name, nouns }: ListDocument): void {
  addVerb(group, context, {
    usage: 'versions <domain> [revision]',
    about: 'list the versions of the document of a domain, newest first; with a revision, print that version',
    examples: [`waypost ${name} versions example.com`, `waypost ${name} versions example.com 3`],
    async run(call, [domainName, revision]) {
      const domain = await call.domain(domainName);
      const path = `${documentPath(domain, name)}/versions`;
      if (revision !== undefined) {
        const body = await call.api.json({ method: 'GET', path: `${path}/${readRevision(revision)}` });
        call.io.stdout.write(asDocument({ [name]: body[name] }));
        return true;
      }
      const body = await call.api.json({ method: 'GET', path });
      const rows = rowsOf(body.versions).map((row): Json => ({ ...row, by: asObject(row.actor)?.username ?? '' }));
      await call.rows(rows, { REVISION: 'revision', SET: 'updated_at', BY: 'by' }, `The domain has no ${nouns[1]}.`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'restore <domain> <revision>',
    about: 'restore a version of the document of a domain, as a new version',
    examples: [`waypost ${name} restore example.com 3`],
    async run(call, [domainName, revision]) {
      const domain = await call.domain(domainName);
      const path = `${documentPath(domain, name)}/versions/${readRevision(revision)}/restore`;
      const body = await call.api.json({ method: 'POST', path });
      call.show(
        body,
        `restored version ${revision} of the ${nouns[1]} of ${domain.domain} as version ${body.revision}`,
      );
      return true;
    },
  });
}

/** Throws CliError `usage`. */
function readRevision(text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new CliError('usage', `"${text}" is not a revision; use a number that "versions" lists.`);
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
export async function readDocument(file: string, stdin: Input, { kind: name }: ListDocument): Promise<Json> {
  const text = await readText(file, stdin);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError('malformed', `${file} is not JSON: ${(error as Error).message}`);
  }
  const document = asObject(value);
  if (document !== undefined && Array.isArray(document[name])) return document;
  throw new CliError(
    'malformed',
    `${file} must be an object with the list "${name}", as "waypost ${name} get" prints it.`,
  );
}

export const asDocument = (document: Json): string => `${JSON.stringify(document, null, 2)}\n`;
