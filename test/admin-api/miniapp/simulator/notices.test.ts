/** Messages of the guard are read strictly: an app can forge any. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LONGEST_DETAIL, LONGEST_TEXT, ping, readFromGuard } from '../../../../admin-api/miniapp/simulator/notices.ts';

const of = (notice: unknown): unknown => ({ waypost: 'guard', type: 'notice', notice });

test('notices and pongs', () => {
  const blocked = { kind: 'blocked', attempt: 'popup', detail: 'about:blank' };
  assert.equal(readFromGuard(of(blocked)), { type: 'notice', notice: blocked });
  const entry = { kind: 'console', level: 'log', text: 'hi' };
  assert.equal(readFromGuard(of({ ...entry, more: 1 })), { type: 'notice', notice: entry });
  assert.equal(readFromGuard(of({ kind: 'dropped', count: 3 })), {
    type: 'notice',
    notice: { kind: 'dropped', count: 3 },
  });
  assert.equal(readFromGuard({ waypost: 'guard', type: 'pong', id: 4 }), { type: 'pong', id: 4 });
  assert.equal(ping(4), { waypost: 'ping', id: 4 });
});

test('texts are cut', () => {
  const detail = 'x'.repeat(10_000);
  const blocked = readFromGuard(of({ kind: 'blocked', attempt: 'popup', detail })) as { notice: { detail: string } };
  assert.is(blocked.notice.detail.length, LONGEST_DETAIL);
  const entry = readFromGuard(of({ kind: 'console', level: 'log', text: detail })) as { notice: { text: string } };
  assert.is(entry.notice.text.length, LONGEST_TEXT);
});

test('everything else is no message of the guard', () => {
  const others = [
    ...[undefined, null, 7, 'text', [], {}, '{"waypost":"guard"}', { waypost: 'guard' }, { waypost: 'ping', id: 1 }],
    ...[{ waypost: 'guard', type: 'pong' }, { waypost: 'guard', type: 'pong', id: 1.5 }, of(undefined), of(null)],
    ...[of([]), of('x'), of({ kind: 'violation', directive: 'img-src', blocked: '', source: '' })],
    ...[
      of({ kind: 'blocked', attempt: 'toString', detail: '' }),
      of({ kind: 'blocked', attempt: 'popup', detail: {} }),
    ],
    ...[of({ kind: 'console', level: 'log', text: 7 }), of({ kind: 'console', level: '__proto__', text: '' })],
    ...[of({ kind: 'dropped', count: 0 }), of({ kind: 'dropped', count: Number.NaN })],
  ];
  for (const other of others) assert.is(readFromGuard(other), undefined, JSON.stringify(other));
});

test.run();
