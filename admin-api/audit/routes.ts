/** The audit: who changed what, and what has become of a change. */
import { Type } from '@sinclair/typebox';
import type { Audit } from '../../core/store/rows.ts';
import { isId, type Services } from '../change/services.ts';
import { HttpError } from '../http/errors.ts';
import { invalidCursor, nextCursor, readPage } from '../http/lists.ts';
import { type Route, route, type Sync } from '../http/route.ts';
import { anyObject, count, id, list, nextCursorSchema, orNull, pageQuery, text, time } from '../http/schema.ts';
import { formatTime } from '../http/time.ts';

const auditView = Type.Object(
  {
    id: id('the entry'),
    at: time('when it was done'),
    actor: orNull(
      Type.Object({
        id: id('the account that did it'),
        username: Type.String(),
        token_id: orNull(Type.String(), 'the token or TSIG key that was used'),
        token_name: orNull(Type.String(), 'its label'),
      }),
      'who did it; null: the service itself',
    ),
    account_id: id('the account whose things were changed'),
    action: text('what was done, as "record.create"'),
    domain: orNull(Type.String(), 'the domain that it was done to'),
    target: orNull(Type.String(), 'the id of what was changed'),
    detail: anyObject('what has become of it'),
    revision: count('the sequence of the change'),
    request_id: text('the X-Request-Id of the request'),
    remote_address: text('where the request came from'),
  },
  { title: 'AuditEntry' },
);

const changeAnswer = Type.Object({
  seq: count('the sequence that was asked for'),
  applied: list(Type.String(), 'the nodes that serve it'),
  pending: list(Type.String(), 'the nodes that do not serve it yet'),
});

/** Rows that are looked at for one page of a filtered list. The page is short then, and its cursor leads on. */
const SCANNED = 5000;

/** `sync`: who serves a change. */
export function auditRoutes(services: Services, sync: (sequence: number) => Sync): Route[] {
  const { reader, journal } = services;
  return [
    route({
      operationId: 'listAudit',
      method: 'GET',
      path: '/api/v1/audit',
      tag: 'operations',
      summary: 'Who changed what, newest first',
      description: "The account's own; for administrators those of all accounts.",
      scope: 'account',
      query: Type.Object({
        ...pageQuery,
        domain: Type.Optional(Type.String({ description: 'only changes of this domain' })),
        action: Type.Optional(
          Type.String({ description: 'only this action, or those that begin with it, as "record"' }),
        ),
        account_id: Type.Optional(
          Type.String({ description: 'only what was done to this account; for administrators' }),
        ),
      }),
      answer: Type.Object({ entries: list(auditView, 'the newest first'), next_cursor: nextCursorSchema }),
      faults: { 400: ['invalid_limit', 'invalid_cursor'] },
      run(context) {
        const { caller, query } = context;
        const { limit, after } = readPage(query);
        if (after !== null && after.length !== 8) throw invalidCursor();
        const of = caller.account.role === 'admin' ? query.get('account_id') : caller.account.id;
        if (of !== null && !isId(of)) return { entries: [], next_cursor: null };
        const matches = matcher(query.get('domain'), query.get('action'));
        const entries: Audit[] = [];
        let before = after?.toString('hex') ?? null;
        for (let scanned = 0; scanned < SCANNED; ) {
          const batch = reader.audits(of, before, limit + 1);
          for (const entry of batch) {
            if (entries.length === limit) return { entries: entries.map(viewAudit), next_cursor: cursor(before) };
            if (matches(entry)) entries.push(entry);
            before = entry.id;
          }
          scanned += batch.length;
          if (batch.length <= limit) return { entries: entries.map(viewAudit), next_cursor: null };
        }
        return { entries: entries.map(viewAudit), next_cursor: cursor(before) };

        function cursor(last: string | null): string | null {
          return nextCursor(last === null ? null : Buffer.from(last, 'hex'), context);
        }
      },
    }),
    route({
      operationId: 'getChange',
      method: 'GET',
      path: '/api/v1/changes/{seq}',
      tag: 'operations',
      summary: 'Which nodes serve a change',
      description: 'The sequence is the X-Waypost-Revision of a write.',
      scope: 'dns',
      answer: changeAnswer,
      faults: { 404: ['no_such_change'] },
      run({ params }) {
        const sequence = /^\d{1,15}$/.test(params.seq) ? Number(params.seq) : 0;
        if (sequence === 0 || sequence > journal.head)
          throw new HttpError(404, 'no_such_change', `There is no such change; the last one is ${journal.head}.`);
        const { seq, applied, pending } = sync(sequence);
        return { seq, applied: [...applied], pending: [...pending] };
      },
    }),
  ];
}

function matcher(domain: string | null, action: string | null): (entry: Audit) => boolean {
  const name = domain?.toLowerCase().replace(/\.$/, '');
  return (entry) =>
    (name === undefined || entry.domain === name) &&
    (action === null || entry.action === action || entry.action.startsWith(`${action}.`));
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
    action: entry.action,
    domain: entry.domain,
    target: entry.target,
    detail: entry.detail,
    revision: entry.revision,
    request_id: entry.requestId,
    remote_address: entry.remoteAddress,
  };
}
