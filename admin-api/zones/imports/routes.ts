/** The endpoint of imports in progress. */
import { Type } from '@sinclair/typebox';
import { count, id, integer, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import { readId } from '../../change/acting.ts';
import { IMPORT_PHASES, type RunningImport } from '../../change/running-import.ts';
import type { Services } from '../../change/services.ts';
import { type Caller, reachesDomain } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { parameter } from '../../http/query.ts';
import { route } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';

const importView = Type.Object(
  {
    request_id: text('the X-Request-Id of the request that imports', { examples: ['q3J8yR2mKx0vTn5w'] }),
    account_id: id('the account that has the domain'),
    domain: text('the name of the domain', { examples: ['example.com'] }),
    domain_id: orNull(id('the domain'), 'the id of the domain; null: the import creates it'),
    started_at: time('when the whole file had arrived'),
    phase: oneOf(
      IMPORT_PHASES,
      '`queued` until its turn; `reading` the file (`comparing` for a preview); `committing`; `waiting` while the records of another import are written; writing `records`; writing `answers`; `serving` them; `cleanup` of the old records. Small imports end with `committing`',
    ),
    position: orNull(count('the position in the queue'), 'the place in the queue, 1 for the next; null: not queued'),
    percent: integer(0, 100, 'an estimate of the part that is done'),
    records: orNull(
      Type.Object({ done: count('records that are written'), total: count('records of the file') }),
      'the records of the file; null: it is not read yet',
    ),
  },
  { title: 'Import' },
);

export function importRoutes({ imports, config }: Services) {
  return [
    route({
      operationId: 'listImports',
      method: 'GET',
      path: '/api/v1/imports',
      tag: 'records',
      summary: 'List imports in progress',
      description:
        'Imports of zone files, and of records through the PowerDNS-compatible API, above 64 KB: those that this node runs or has queued. In a cluster, ask the node that got the request of the import. Only imports of the own account; administrators see those of all accounts.',
      scope: 'dns',
      forRestricted: true,
      query: {
        domain: Type.Optional(text('only imports of this domain, such as "example.com"')),
        account: parameter(Type.Optional(id('the account whose imports are returned; for administrators')), readId),
      },
      response: Type.Object({
        node: text('the node that answers', { examples: ['ns1'] }),
        imports: list(importView, 'in the order in which they arrived'),
      }),
      faults: { 403: ['forbidden'] },
      run({ caller, query: { domain, account } }) {
        const of = listedAccount(caller, account);
        const name = domain?.toLowerCase().replace(/\.$/, '');
        const isListed = ({ target }: RunningImport): boolean =>
          (of === null || target.accountId === of) &&
          (name === undefined || target.domain === name) &&
          (caller.token.domains === undefined ||
            (target.domainId !== null && reachesDomain(caller.token, target.domainId)));
        const listed = imports.list().filter(({ running }) => isListed(running));
        return { node: config.nodeName, imports: listed.map(viewImport) };
      },
    }),
  ];
}

/** Null: all accounts. Throws HttpError 403. */
function listedAccount({ account }: Caller, wanted: number | null): number | null {
  if (account.role === 'admin') return wanted;
  if (wanted === null || wanted === account.id) return account.id;
  throw new HttpError(403, 'forbidden', 'Only administrators can list imports of another account; omit "account".');
}

const viewImport = ({ running, position }: { readonly running: RunningImport; readonly position: number | null }) => ({
  request_id: running.requestId,
  account_id: running.target.accountId,
  domain: running.target.domain,
  domain_id: running.target.domainId,
  started_at: formatTime(running.startedAt),
  phase: running.phase,
  position,
  percent: running.percent,
  records: running.recordCount === null ? null : { done: running.writtenRecords, total: running.recordCount },
});
