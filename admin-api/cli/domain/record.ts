/** `waypost record`: the records of a domain. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { ApiError, CliError } from '../base/errors.ts';
import { wholeNumber } from '../base/numbers.ts';
import { pages } from '../base/pages.ts';
import { count } from '../base/table.ts';
import { addAccountGroup, addVerb, type Call, option, YES } from '../base/verb.ts';
import {
  type Batch,
  type ChangedRecord,
  commentNote,
  type DeletedRecord,
  describeBatch,
  findRecords,
  type NewRecord,
  type RecordFilter,
  type RecordRow,
  recordLine,
  recordPages,
  sendBatch,
  warningNote,
} from './records.ts';

/** Attempts, because another client may change the domain between our read and our write. */
const MAX_ATTEMPTS = 5;

const UNCHANGED: ApiResponse<'changeRecords'> & { ok: true } = { ok: true, deleted: [], updated: [], created: [] };

const NAMES = 'NAME is relative to the domain, or absolute; "@" is the apex.';
const CONTENTS =
  'Each CONTENT is one record; quote content with spaces, as in "10 mail.example.com".\nNames in it are absolute: "mail.example.com", or "mail." for a top-level name.';

const RECORD_OPTIONS = [
  option('--ttl <seconds>', '30 to 604800, or 1 for automatic; shared by all records of a name and type').argParser(
    wholeNumber(1, 604_800),
  ),
  option('--priority <n>', 'the priority of MX and SRV, if it is not part of the content').argParser(
    wholeNumber(0, 65_535),
  ),
  option('--proxied', 'resolve to the addresses of the proxy while it is on'),
  option('--no-proxied', 'never proxied'),
  option('--comment <text>', 'for people; shared by all records of a name and type; "" removes it'),
  option('--ptr', 'keep the PTR records of these A or AAAA records in a reverse zone of the account'),
  option('--no-ptr', 'delete the kept PTR records'),
];

export function addRecordCommands(program: Command, context: CommandContext): void {
  const record = addAccountGroup(program, 'record', 'records of a domain: add, list, set, remove', [
    'waypost record add example.com www A 192.0.2.1',
    'waypost record list example.com --type MX',
    'waypost record set example.com www A 192.0.2.1 192.0.2.2',
  ]);
  addVerb(record, context, {
    usage: 'add <domain> <name> <type> <content...>',
    about: 'add records to the existing ones',
    options: RECORD_OPTIONS,
    more: `${NAMES}\n${CONTENTS}\nEither all records are added or none.`,
    examples: [
      'waypost record add example.com www A 192.0.2.1 192.0.2.2 --ttl 600',
      'waypost record add example.com @ MX "10 mail.example.com"',
      'waypost record add example.com @ TXT "v=spf1 mx -all"',
      'waypost record add example.com mail A 192.0.2.9 --no-proxied --ptr',
    ],
    async run(call: Call<RecordOptions>, [domainName, name, type, ...contents]) {
      const domain = await call.domain(domainName);
      const { ttl, priority, proxied, comment, ptr } = call.options;
      const shared = { name, type, ttl, priority, proxied, comment, ptr };
      const batch = { post: contents.map((content) => ({ ...shared, content })) };
      const body = await sendBatch(call.api, domain, batch);
      call.show(body, ...describeBatch(domain, batch, body));
      return true;
    },
  });
  addVerb(record, context, {
    usage: 'list <domain>',
    about: 'list the records of a domain',
    options: [
      option('--name <name>', 'only records with this name'),
      option('--type <type>', 'only records of this type'),
      option('--content <content>', 'only records with this content; for MX and SRV, the host is enough'),
    ],
    examples: [
      'waypost record list example.com',
      'waypost record list example.com --name @ --type TXT',
      'waypost record list example.com --json | jq -r .content',
    ],
    async run(call: Call<RecordFilter>, [domainName]) {
      await call.list(
        recordPages(call.api, await call.domain(domainName), call.options),
        {
          ID: 'id',
          NAME: 'name',
          TTL: 'ttl',
          TYPE: 'type',
          PROXIED: ({ proxied }) => proxied ?? 'auto',
          CONTENT: (row) => `${row.content}${commentNote(row)}${warningNote(row)}`,
        },
        'No records found.',
      );
      return true;
    },
  });
  addVerb(record, context, {
    usage: 'set <domain> <name> <type> <content...>',
    about: 'make these the only records of a name and type',
    options: RECORD_OPTIONS,
    more: `${NAMES}\n${CONTENTS}\nAn omitted --ttl, --proxied, --comment or --ptr keeps its value. Queries see either the old records or the new ones, never a mix.`,
    examples: [
      'waypost record set example.com www A 192.0.2.1 192.0.2.2',
      'waypost record set example.com @ MX "10 mx1.example.com" "20 mx2.example.com" --ttl 3600',
      'waypost record set example.com www A 192.0.2.1 --no-proxied',
    ],
    run: setRecords,
  });
  addVerb(record, context, {
    usage: 'rm <domain> <id-or-name> [type] [content]',
    about: 'remove a record by id, or the records of a name',
    options: [YES],
    more: 'Asks for confirmation if there are several records.',
    examples: [
      'waypost record rm example.com 123',
      'waypost record rm example.com www A 192.0.2.1',
      'waypost record rm example.com old --yes',
    ],
    async run(call, [domainName, which, type, content]) {
      const domain = await call.domain(domainName);
      const found = await recordsToRemove(call, domain, which, { type, content });
      if (found.length > 1) {
        for (const row of found) call.note(`  - ${recordLine(row)}`);
        await call.confirm(`Remove these ${count(found.length, 'record')} of ${domain.domain}?`);
      }
      const batch = { delete: found };
      const body = await sendBatch(call.api, domain, batch);
      call.show(body, ...describeBatch(domain, batch, body));
      return true;
    },
  });
  addVerb(record, context, {
    usage: 'ptr <domain>',
    about: 'list addresses without a PTR record in a reverse zone of the account',
    options: [option('--all', 'also addresses that have one, or whose reverse zone is elsewhere')],
    examples: ['waypost record ptr example.com', 'waypost record ptr example.com --all'],
    async run(call: Call<{ readonly all?: boolean }>, [domainName]) {
      const domain = await call.domain(domainName);
      const query = call.options.all === true ? {} : { state: 'problem' as const };
      await call.list(
        pages(call.api, '/api/v1/domains/{domain_id}/ptrs', 'ptrs', { path: { domain_id: domain.id }, query }),
        {
          NAME: 'name',
          ADDRESS: 'content',
          STATE: ({ state, ptr }) => (ptr ? `${state}, kept` : state),
          ZONE: ({ reverse_domain }) => reverse_domain ?? '-',
          PTR: ({ targets }) => targets.join(' ') || '-',
        },
        'All addresses whose reverse zone is in this account have a PTR record.',
      );
      return true;
    },
  });
}

const ID = /^[1-9]\d{0,15}$/;

/**
 * The records of a name, or the record of an id. A record whose name looks like an id takes
 * precedence. Throws CliError `no_such_record`.
 */
async function recordsToRemove(
  { api }: Call,
  domain: Domain,
  which: string,
  narrower: Omit<RecordFilter, 'name'>,
): Promise<DeletedRecord[]> {
  const found = await findRecords(api, domain, { name: which, ...narrower });
  if (found.length > 0) return found;
  if (ID.test(which) && narrower.type === undefined) return [{ id: Number(which) }];
  const filter = [which, narrower.type, narrower.content].filter((part) => part !== undefined).join(' ');
  throw new CliError('no_such_record', `${domain.domain} has no record "${filter}".`, {
    next: `List its records with "waypost record list ${domain.domain}".`,
  });
}

interface RecordOptions {
  readonly ttl?: number;
  readonly priority?: number;
  readonly proxied?: boolean;
  readonly comment?: string;
  readonly ptr?: boolean;
}

/** `waypost record set`: replaces the records of a name and type. */
async function setRecords(
  call: Call<RecordOptions>,
  [domainName, name, type, ...contents]: readonly string[],
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    // Read before the records: if its revision still matches at the write, the records are
    // unchanged.
    const domain = await call.domain(domainName);
    const present = await findRecords(call.api, domain, { name, type });
    const { ttl, proxied, priority, comment, ptr } = call.options;
    const batch = difference(present, { name, type, contents, ttl, proxied, priority, comment, ptr });
    const changes = batch.delete.length + batch.put.length + batch.post.length;
    try {
      const body = changes === 0 ? UNCHANGED : await sendBatch(call.api, domain, batch, domain.revision);
      call.show(body, ...describeBatch(domain, batch, body));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

interface Wanted extends Pick<RecordOptions, 'ttl' | 'proxied' | 'priority' | 'comment' | 'ptr'> {
  readonly name: string;
  readonly type: string;
  readonly contents: readonly string[];
}

/**
 * Computes the batch that turns the existing records into the wanted records. An equal content in
 * an unusual spelling is deleted and created, which has the same result.
 */
function difference(present: readonly RecordRow[], { contents, ...wanted }: Wanted): Required<Batch> {
  const { ttl = present[0]?.ttl, proxied = sharedValue(present.map((row) => row.proxied)) } = wanted;
  const rest = [...present];
  const put: ChangedRecord[] = [];
  const post: NewRecord[] = [];
  for (const content of new Set(contents)) {
    const at = rest.findIndex((candidate) => spellingsOf(content, wanted.priority).includes(candidate.content));
    if (at === -1) {
      post.push({ ...wanted, content, ttl, proxied });
      continue;
    }
    const [row] = rest.splice(at, 1);
    const changed =
      row.ttl !== ttl ||
      (wanted.proxied !== undefined && row.proxied !== wanted.proxied) ||
      (wanted.ptr !== undefined && (row.ptr ?? false) !== wanted.ptr) ||
      (wanted.comment !== undefined && (row.comment ?? '') !== wanted.comment);
    if (changed) put.push({ id: row.id, ...wanted, content, ttl });
  }
  return { delete: rest, put, post };
}

/** Possible spellings in the API: with the priority, the trailing dot of a host name, or quotes. */
function spellingsOf(content: string, priority: number | undefined): string[] {
  const whole = priority === undefined ? [content] : [content, `${priority} ${content}`];
  return [...whole, ...whole.map((way) => `${way}.`), `"${content}"`];
}

/** The value of `proxied` that all records share; undefined: the daemon decides. */
function sharedValue(values: readonly RecordRow['proxied'][]): boolean | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? (first ?? undefined) : undefined;
}
