/** Endpoints of the audit log and of single changes. */
import { Type } from '@sinclair/typebox';
import { anyObject, count, flag, id, list, orNull, text, time } from '../../../core/base/schema.ts';
import { Steps } from '../../../core/base/steps.ts';
import { type Id, idAt, idKey } from '../../../core/store/keys.ts';
import type { Audit } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { readId } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { invalidCursor, type ListPart, type Page, pageFields, pageQuery, searchQuery } from '../../http/lists.ts';
import { parameter, type Query } from '../../http/query.ts';
import { route, type Sync } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';

const auditView = Type.Object(
  {
    id: id('the entry'),
    at: time('when the change was made'),
    actor: orNull(
      Type.Object({
        id: id('the account that made the change'),
        username: Type.String({ examples: ['alice'] }),
        token_id: orNull(id('the token or TSIG key that was used')),
        token_name: orNull(Type.String(), 'the label of the token or the name of the key'),
      }),
      'who made the change; null: the service',
    ),
    account_id: id('the account that owns the changed object'),
    by_admin: flag('whether an administrator made the change for another account'),
    action: text('the kind of change, such as "record.create"'),
    domain: orNull(Type.String(), 'the changed domain'),
    target: Type.Union([id('the changed object'), Type.String(), Type.Null()], {
      description: 'the id of the changed object; that of an app is a string',
    }),
    detail: anyObject(
      'the new values; large ones are shortened, and "shortened" is the number of characters of all of them',
    ),
    revision: count('the sequence number of the change'),
    request_id: text('the X-Request-Id of the request', { examples: ['q3J8yR2mKx0vTn5w'] }),
    remote_address: text('the address of the client', { examples: ['192.0.2.44'] }),
  },
  { title: 'AuditEntry' },
);

const changeResponse = Type.Object({
  seq: count('the requested sequence number'),
  applied: list(Type.String(), 'the nodes that serve it'),
  pending: list(Type.String(), 'the nodes that do not serve it yet'),
});

const auditQuery = {
  ...pageQuery,
  domain: Type.Optional(Type.String({ description: 'only changes to this domain' })),
  action: Type.Optional(
    Type.String({ description: 'only this action, or all actions with this prefix, such as "record"' }),
  ),
  ...searchQuery('action, domain, names, addresses or details'),
  account: parameter(Type.Optional(id('the account whose entries are returned; for administrators')), readId),
  account_id: parameter(Type.Optional(id('the same as `account`')), readId),
};

type AuditQuery = Query<typeof auditQuery>;

/** Maximum rows that are read for one page of a filtered list. Such a page may have fewer items. */
const SCANNED = 5000;
/** Rows between two checks of the time. */
const BATCH = 101;

/** `sync`: which nodes have applied a change. */
export function auditRoutes(services: Services, sync: (sequence: number) => Sync) {
  const { reader, journal } = services;
  return [
    route({
      operationId: 'listAudit',
      method: 'GET',
      path: '/api/v1/audit',
      tag: 'operations',
      summary: 'List the audit log, newest entries first',
      description: 'Only entries of the own account; administrators see all accounts.',
      example: { query: { domain: 'example.com' }, command: 'waypost audit --domain example.com' },
      scope: 'account',
      query: auditQuery,
      response: Type.Object({
        entries: list(auditView, 'newest first'),
        ...pageFields,
      }),
      faults: { 403: ['forbidden'] },
      run(context) {
        const of = auditedAccount(context.caller, context.query);
        const filter = filterOf(context.query);
        return replyWithList(services.streams, context, 'entries', {
          read: (page) => readEntries(reader, of, filter, page),
          view: viewAudit,
        });
      },
    }),
    route({
      operationId: 'getChange',
      method: 'GET',
      path: '/api/v1/changes/{seq}',
      tag: 'operations',
      summary: 'List the nodes that serve a change',
      description: 'The sequence number is the X-Waypost-Revision of a write.',
      example: { command: 'waypost change 17' },
      scope: 'dns',
      forLimited: true,
      forRestricted: true,
      response: changeResponse,
      faults: { 404: ['no_such_change'] },
      run({ params }) {
        const sequence = /^\d{1,15}$/.test(params.seq) ? Number(params.seq) : 0;
        if (sequence === 0 || sequence > journal.head)
          throw new HttpError(404, 'no_such_change', `This change does not exist; the last change is ${journal.head}.`);
        const { seq, applied, pending } = sync(sequence);
        return { seq, applied: [...applied], pending: [...pending] };
      },
    }),
  ];
}

async function readEntries(
  reader: StoreReader,
  of: Id | null,
  { isSelective, mayMatch, matches }: Filter,
  { limit, after }: Page,
): Promise<ListPart<Audit>> {
  if (after !== null && after.length !== 8) throw invalidCursor();
  const steps = new Steps();
  const rows: Audit[] = [];
  const end = (last: Id | null): ListPart<Audit> => ({ rows, last: last === null ? null : idKey(last) });
  let before = after === null ? null : idAt(after);
  for (let scanned = 0; scanned < SCANNED; ) {
    const wanted = isSelective ? BATCH : Math.min(limit + 1, BATCH);
    const { entries, last, isEnd } = reader.scanAudits(of, before, wanted, mayMatch);
    for (const entry of entries.filter(matches)) {
      if (rows.length === limit) return end(before);
      rows.push(entry);
      before = entry.id;
    }
    if (isEnd) return end(null);
    before = last;
    scanned += wanted;
    await steps.next();
  }
  return end(before);
}

/** Null: all accounts. Deleted accounts still have entries. Throws HttpError 403. */
function auditedAccount({ account }: Caller, { account: wanted, account_id: other }: AuditQuery): Id | null {
  if (account.role === 'admin') return wanted ?? other;
  if (wanted === null || wanted === account.id) return account.id;
  throw new HttpError(403, 'forbidden', 'Only administrators can list changes to another account; omit "account".');
}

interface Filter {
  /** Whether a page may need many more entries than it returns. */
  readonly isSelective: boolean;
  /** Refuses most entries by their stored bytes: decoding takes ten times as long. */
  readonly mayMatch: (stored: Buffer) => boolean;
  readonly matches: (entry: Audit) => boolean;
}

function filterOf({ domain, action, q: search }: AuditQuery): Filter {
  const name = domain?.toLowerCase().replace(/\.$/, '');
  // As in JSON, without the final quote of a prefix.
  const parts = [
    ...(name === undefined ? [] : [`"domain":${JSON.stringify(name)}`]),
    ...(action === undefined ? [] : [`"action":${JSON.stringify(action).slice(0, -1)}`]),
  ].map((part) => Buffer.from(part));
  const matches = (entry: Audit): boolean =>
    (name === undefined || entry.domain === name) &&
    (action === undefined || entry.action === action || entry.action.startsWith(`${action}.`)) &&
    (search === null || search(...textsOf(entry)));
  return {
    isSelective: parts.length > 0 || search !== null,
    mayMatch: (stored) => parts.every((part) => stored.includes(part)),
    matches,
  };
}

const textsOf = ({ action, domain, actor, target, detail, remoteAddress }: Audit): string[] => [
  ...[action, domain, actor?.username, actor?.tokenName, target, remoteAddress].map((value) => String(value ?? '')),
  ...valuesIn(detail),
];

/** The texts and numbers in a value, without the names of its fields. */
function valuesIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

function viewAudit(entry: Audit) {
  const { actor } = entry;
  return {
    id: entry.id,
    at: formatTime(entry.at),
    actor:
      actor === null
        ? null
        : { id: actor.accountId, username: actor.username, token_id: actor.tokenId, token_name: actor.tokenName },
    account_id: entry.accountId,
    by_admin: actor !== null && actor.accountId !== entry.accountId,
    action: entry.action,
    domain: entry.domain,
    target: entry.target,
    detail: entry.detail,
    revision: entry.revision,
    request_id: entry.requestId,
    remote_address: entry.remoteAddress,
  };
}
