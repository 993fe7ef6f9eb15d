/**
 * Commands for the documents of a domain's sites: each is printed, replaced and edited as a whole,
 * on the condition that no other client has changed it in between.
 */
import type { Command } from 'commander';
import { keepsVersions, type VersionedKind } from '../../../core/store/rows/site-documents.ts';
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import type { Input } from '../base/io.ts';
import { readText } from '../base/text-file.ts';
import { addVerb, type Call, option } from '../base/verb.ts';

/** The path of a domain's proxy. */
export const PROXY = '/api/v1/domains/{domain_id}/proxy';

interface ListBodies {
  readonly origins: ApiBody<'setOrigins'>;
  readonly rules: ApiBody<'setRules'>;
}

type ListKind = keyof ListBodies;

interface ListDocument<Kind extends ListKind = ListKind> {
  /** Also the command, the last part of the path, and the key of the list, the only field. */
  readonly kind: Kind;
  /** Singular and plural. */
  readonly nouns: readonly [one: string, several: string];
}

const listOf = (document: ApiResponse<'getOrigins'> | ApiResponse<'getRules'>): readonly object[] =>
  'rules' in document ? document.rules : document.origins;

/** Parameters of a PUT that fails if the document has changed since it was read. */
export const ifUnchanged = ({ id }: Domain, { revision }: { readonly revision: number }) => ({
  path: { domain_id: id },
  header: { 'If-Match': `"${revision}"` },
});

/** Adds `get` and `set`, for JSON files; `versions` and `restore`, if earlier versions are kept. */
export function addListVerbs(group: Command, context: CommandContext, document: ListDocument): void {
  const { kind, nouns } = document;
  const path = `${PROXY}/${kind}` as const;
  addVerb(group, context, {
    usage: 'get <domain>',
    about: 'print the document of a domain, which "set" reads',
    examples: [`waypost ${kind} get example.com > ${kind}.json`],
    async run(call, [domainName]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.GET(path, { params: { path: { domain_id } } });
      call.document({ [kind]: listOf(body), revision: body.revision });
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'set <domain> <file>',
    about: 'replace the document of a domain; "-" reads standard input',
    more: 'A "revision" in the file is that of the document that it replaces: if it is another, nothing is changed.',
    options: [option('--force', 'also if the document has changed since its "revision" was read')],
    examples: [
      `waypost ${kind} set example.com ${kind}.json`,
      `echo '{"${kind}":[]}' | waypost ${kind} set example.com -`,
    ],
    async run(call: Call<{ force?: boolean }>, [domainName, file]) {
      const body = await readDocument(file, call.io.stdin, document);
      const { id: domain_id, domain } = await call.domain(domainName);
      const isFree = call.options.force === true || body.revision === undefined;
      const header = { 'If-Match': isFree ? '*' : `"${body.revision}"` };
      const stored = await call.api.PUT(path, { params: { path: { domain_id }, header }, body });
      const { length } = listOf(stored);
      call.show(stored, `set ${length} ${nouns[length === 1 ? 0 : 1]} of ${domain}`);
      return true;
    },
  });
  if (keepsVersions(kind)) addVersionVerbs(group, context, { kind, nouns });
}

function addVersionVerbs(
  group: Command,
  context: CommandContext,
  { kind, nouns }: ListDocument<ListKind & VersionedKind>,
): void {
  const versions = `${PROXY}/${kind}/versions` as const;
  addVerb(group, context, {
    usage: 'versions <domain> [revision]',
    about: 'list the versions of the document of a domain, newest first; with a revision, print that version',
    examples: [`waypost ${kind} versions example.com`, `waypost ${kind} versions example.com 3`],
    async run(call, [domainName, revision]) {
      const { id: domain_id } = await call.domain(domainName);
      if (revision !== undefined) {
        const params = { path: { domain_id, revision: readRevision(revision) } };
        const body = await call.api.GET(`${versions}/{revision}`, { params });
        call.document({ [kind]: listOf(body) });
        return true;
      }
      const body = await call.api.GET(versions, { params: { path: { domain_id } } });
      const rows = body.versions.map((row) => ({ ...row, by: row.actor?.username ?? '' }));
      await call.rows(rows, { REVISION: 'revision', SET: 'updated_at', BY: 'by' }, `The domain has no ${nouns[1]}.`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'restore <domain> <revision>',
    about: 'restore a version of the document of a domain, as a new version',
    examples: [`waypost ${kind} restore example.com 3`],
    async run(call, [domainName, revision]) {
      const { id: domain_id, domain } = await call.domain(domainName);
      const params = { path: { domain_id, revision: readRevision(revision) } };
      const body = await call.api.POST(`${versions}/{revision}/restore`, { params });
      call.show(body, `restored version ${revision} of the ${nouns[1]} of ${domain} as version ${body.revision}`);
      return true;
    },
  });
}

/** Throws CliError `usage`. */
function readRevision(text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new CliError('usage', `"${text}" is not a revision; use a number that "versions" lists.`);
}

/** The daemon checks the entries of the list. Throws CliError `unreadable` or `malformed`. */
export async function readDocument<Kind extends ListKind>(
  file: string,
  stdin: Input,
  { kind }: ListDocument<Kind>,
): Promise<ListBodies[Kind] & { readonly revision?: unknown }> {
  const text = await readText(file, stdin);
  let document: { readonly [field: string]: unknown } | null;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new CliError('malformed', `${file} is not JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(document?.[kind])) return document as ListBodies[Kind];
  throw new CliError(
    'malformed',
    `${file} must be an object with the list "${kind}", as "waypost ${kind} get" prints it.`,
  );
}
