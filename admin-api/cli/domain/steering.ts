/** `waypost steering`: which answer of a record set a client gets. */
import type { Command } from 'commander';
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';

const STEERINGS = '/api/v1/domains/{domain_id}/steering';
const STEERING = `${STEERINGS}/{name}/{type}` as const;
const VERSIONS = `${STEERING}/versions` as const;

type SteeringDocument = ApiBody<'setSteering'>;

export function addSteeringCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'steering', 'which answer of a record set a client gets', [
    'waypost steering set example.com www A steering.json',
    'waypost steering test example.com 192.0.2.1 --ecs 198.51.100.0/24',
  ]);
  addReading(group, context);
  addWriting(group, context);
  addVersions(group, context);
  addTest(group, context);
}

function addReading(group: Command, context: CommandContext): void {
  addVerb(group, context, {
    usage: 'list <domain>',
    about: 'list the steered record sets of a domain',
    examples: ['waypost steering list example.com'],
    async run(call, [domainName]) {
      const { id: domain_id } = await call.domain(domainName);
      const { steering } = await call.api.GET(STEERINGS, { params: { path: { domain_id } } });
      const columns = { NAME: 'name', TYPE: 'type', REVISION: 'revision', SET: 'updated_at' } as const;
      await call.rows(steering, columns, 'The domain has no steered record sets.');
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'get <domain> <name> <type>',
    about: 'print the document of a record set, which "set" reads',
    examples: ['waypost steering get example.com www A > steering.json'],
    async run(call, [domainName, name, type]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.GET(STEERING, { params: { path: { domain_id, name, type } } });
      call.document(asDocument(body));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'health <domain> <name> <type>',
    about: 'list the checked answers of a record set, as the node that answers the command sees them',
    examples: ['waypost steering health example.com www A'],
    async run(call, [domainName, name, type]) {
      const { id: domain_id } = await call.domain(domainName);
      const { health } = await call.api.GET(STEERING, { params: { path: { domain_id, name, type } } });
      const rows = health.map((row) => ({ ...row, state: row.is_up === null ? 'unknown' : row.is_up ? 'up' : 'down' }));
      const columns = { POOL: 'pool', ANSWER: 'content', STATE: 'state', SINCE: 'since', REASON: 'reason' } as const;
      await call.rows(rows, columns, 'No answer of the record set is checked.');
      return true;
    },
  });
}

function addWriting(group: Command, context: CommandContext): void {
  addVerb(group, context, {
    usage: 'set <domain> <name> <type> <file>',
    about: 'set the document of a record set; "-" reads standard input',
    more: 'A "revision" in the file is that of the document that it replaces: if it is another, nothing is changed.',
    options: [option('--force', 'also if the document has changed since its "revision" was read')],
    examples: ['waypost steering set example.com www A steering.json'],
    async run(call: Call<{ force?: boolean }>, [domainName, name, type, file]) {
      const body = await readDocument(file, call);
      const { id: domain_id } = await call.domain(domainName);
      const isFree = call.options.force === true || body.revision === undefined;
      const params = { path: { domain_id, name, type }, header: { 'If-Match': isFree ? '*' : `"${body.revision}"` } };
      const stored = await call.api.PUT(STEERING, { params, body });
      call.show(stored, `set the steering of ${stored.name} ${stored.type} in ${domainName}`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'rm <domain> <name> <type>',
    about: 'delete the steering of a record set; the records of its plain choice stay',
    examples: ['waypost steering rm example.com www A'],
    async run(call, [domainName, name, type]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.DELETE(STEERING, { params: { path: { domain_id, name, type } } });
      call.show(body, `deleted the steering of ${name} ${type} in ${domainName}`);
      return true;
    },
  });
}

function addVersions(group: Command, context: CommandContext): void {
  addVerb(group, context, {
    usage: 'versions <domain> <name> <type> [revision]',
    about: 'list the versions of the document of a record set, newest first; with a revision, print that version',
    examples: ['waypost steering versions example.com www A', 'waypost steering versions example.com www A 3'],
    async run(call, [domainName, name, type, revision]) {
      const { id: domain_id } = await call.domain(domainName);
      const path = { domain_id, name, type };
      if (revision !== undefined) {
        const params = { path: { ...path, revision: readRevision(revision) } };
        call.document(asDocument(await call.api.GET(`${VERSIONS}/{revision}`, { params })));
        return true;
      }
      const { versions } = await call.api.GET(VERSIONS, { params: { path } });
      const rows = versions.map((row) => ({ ...row, by: row.actor.username }));
      const columns = { REVISION: 'revision', SET: 'updated_at', BY: 'by' } as const;
      await call.rows(rows, columns, 'The record set was never steered.');
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'restore <domain> <name> <type> <revision>',
    about: 'restore a version of the document of a record set, as a new version',
    examples: ['waypost steering restore example.com www A 3'],
    async run(call, [domainName, name, type, revision]) {
      const { id: domain_id } = await call.domain(domainName);
      const params = { path: { domain_id, name, type, revision: readRevision(revision) } };
      const body = await call.api.POST(`${VERSIONS}/{revision}/restore`, { params });
      call.show(body, `restored version ${revision} of the steering of ${name} ${type} as version ${body.revision}`);
      return true;
    },
  });
}

function addTest(group: Command, context: CommandContext): void {
  addVerb<{ ecs?: string; name?: string; type?: string }>(group, context, {
    usage: 'test <domain> <client>',
    about: 'show what a client would get, by the address that its query comes from',
    options: [
      option('--ecs <subnet>', 'the client subnet of the query (RFC 7871)'),
      option('--name <name>', 'only record sets of this name'),
      option('--type <type>', 'only record sets of this type'),
    ],
    examples: ['waypost steering test example.com 192.0.2.1 --ecs 198.51.100.0/24'],
    async run(call, [domainName, client]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = { client, ...call.options };
      const { client: who, results } = await call.api.POST(`${STEERINGS}/test`, {
        params: { path: { domain_id } },
        body,
      });
      const place = [who.country, who.continent].filter((part) => part !== null).join(', ');
      call.note(`${who.address}: ${place === '' ? 'its country is not known' : place}`);
      const columns = { NAME: 'name', TYPE: 'type', POOL: 'pool', ANSWER: 'answer', WHY: 'reason' } as const;
      await call.rows(results, columns, 'No record set of the domain is steered.');
      return true;
    },
  });
}

/** The fields that a PUT accepts. */
function asDocument({ ttl, pools, rules, fallback, revision }: Omit<ApiResponse<'getSteering'>, 'health'>): object {
  return { ttl, pools, rules, fallback, revision };
}

/** The daemon checks the fields. Throws CliError `unreadable` or `malformed`. */
async function readDocument(file: string, { io }: Call): Promise<SteeringDocument & { readonly revision?: unknown }> {
  const text = await readText(file, io.stdin);
  let document: { readonly [field: string]: unknown } | null;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new CliError('malformed', `${file} is not JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(document?.pools)) return document as SteeringDocument;
  throw new CliError(
    'malformed',
    `${file} must be an object with the list "pools", as "waypost steering get" prints it.`,
  );
}

/** Throws CliError `usage`. */
function readRevision(text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new CliError('usage', `"${text}" is not a revision; use a number that "versions" lists.`);
}
