/**
 * A checker that lets everything pass would be worth nothing: histories with one fault each, and
 * the fault is reported.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkHistory } from './check.ts';
import type { Event, Operation, Outcome } from './operations.ts';

const DOMAIN: Operation = { kind: 'create domain', domain: 'd.example' };
const A = { name: 'n', type: 'A', content: '192.0.2.1', ttl: 60 } as const;
const CNAME = { name: 'n', type: 'CNAME', content: 'x.example.net.', ttl: 60 } as const;
const record = (body: typeof A | typeof CNAME): Operation => ({ kind: 'create record', domainId: 'D', body });
const done = (sequence: number, ids: string[], applied = ['a', 'b']): Outcome => ({
  ...{ kind: 'done', sequence, ids, applied, isReplayed: false },
});
const refused = (code: string): Outcome => ({ kind: 'refused', status: 409, code });

/** One after the other, by one account, each at node a. */
function history(...steps: (Partial<Event> & Pick<Event, 'operation' | 'outcome'>)[]): Event[] {
  return steps.map((step, i) => ({
    ...{ node: 'a', account: 'u', requestId: String(i), began: 10 * i, ended: 10 * i + 5, ...step },
  }));
}

function faultsOf(events: readonly Event[], limit = 10): string {
  const audited = new Map(
    events.flatMap(({ outcome, requestId }) => (outcome.kind === 'done' ? [[requestId, outcome.sequence]] : [])),
  );
  return checkHistory(events, audited, new Map([['u', limit]]), []).faults.join('\n');
}

test('allowed histories pass', () => {
  const events = history(
    { operation: DOMAIN, outcome: done(1, ['D']) },
    { operation: DOMAIN, outcome: refused('zone_exists') },
    { operation: record(A), outcome: done(2, ['R']) },
    { operation: record(A), outcome: refused('record_exists') },
    { operation: record(CNAME), outcome: refused('cname_conflict') },
    { operation: { kind: 'delete record', domainId: 'D', recordId: 'R' }, match: 1, outcome: refused('changed') },
    { operation: { kind: 'delete record', domainId: 'D', recordId: 'R' }, match: 2, outcome: done(3, []) },
    { operation: record(CNAME), outcome: done(4, ['S']) },
  );
  assert.is(faultsOf(events), '');
  assert.is(faultsOf([]), '');
});

test('impossible histories are reported', () => {
  const made = { operation: DOMAIN, outcome: done(1, ['D']) };
  const cases: readonly [string, RegExp, Event[], number?][] = [
    ['a domain twice', /zone_exists is due/, history(made, { operation: DOMAIN, outcome: done(2, ['E']) })],
    ['past the plan', /plan_limit is due/, history(made), 0],
    [
      'a CNAME next to an address',
      /cname_conflict is due/,
      history(
        made,
        { operation: record(A), outcome: done(2, ['R']) },
        { operation: record(CNAME), outcome: done(3, ['S']) },
      ),
    ],
    [
      'a change over another revision than was asked for',
      /changed is due/,
      history(made, { operation: record(A), match: 7, outcome: done(2, ['R']) }),
    ],
    [
      'a refusal without reason',
      /right at no moment/,
      history(made, { operation: record(A), outcome: refused('record_exists') }),
    ],
    [
      'an acknowledged change is missing on the node that had it',
      /right at no moment/,
      history(made, { operation: record(A), outcome: refused('no_such_domain') }),
    ],
    [
      'an old list',
      /the state of no moment/,
      history(
        made,
        { operation: record(A), outcome: done(2, ['R']) },
        {
          operation: { kind: 'list records', domainId: 'D' },
          outcome: { kind: 'listed', revision: 1, records: [] },
        },
      ),
    ],
    [
      'a change before an acknowledged one',
      /behind what was acknowledged/,
      history(
        { operation: DOMAIN, outcome: done(5, ['D']) },
        { operation: { kind: 'create domain', domain: 'e.example' }, outcome: done(4, ['E']) },
      ),
    ],
    [
      'one change for two requests',
      /are one change/,
      history(made, { operation: { kind: 'create domain', domain: 'e.example' }, outcome: done(1, ['E']) }),
    ],
  ];
  for (const [what, expected, events, limit] of cases) assert.match(faultsOf(events, limit), expected, what);
});

test('a refused write that was applied, and a change without an audit entry', () => {
  const events = history({ operation: DOMAIN, outcome: { kind: 'unavailable' } });
  assert.match(checkHistory(events, new Map([['0', 1]]), new Map(), []).faults.join(), /is change 1/);
  const other = history({ operation: DOMAIN, outcome: done(1, ['D']) });
  assert.match(checkHistory(other, new Map(), new Map(), []).faults.join(), /is change undefined in the audit/);
});

test('a node that is behind may refuse by its own state, another may not', () => {
  const made = { operation: DOMAIN, outcome: done(1, ['D'], ['a']) };
  const late = (node: string): Event[] =>
    history(made, { node, operation: record(A), outcome: refused('no_such_domain') });
  assert.is(faultsOf(late('b')), '');
  assert.match(faultsOf(late('a')), /right at no moment/);
});

test.run();
