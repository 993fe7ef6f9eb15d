/** Statistics by API: roles, other accounts, and invalid ranges. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatTime, nowSeconds } from '../../../admin-api/http/time.ts';
import { listOf, startDaemon } from '../daemon.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

const test = suite('statistics by API');

test('owners and viewers read them; the domains of others do not exist', async () => {
  const daemon = await startDaemon();
  try {
    const owner = await daemon.account('owner');
    const stranger = await daemon.account('stranger');
    const viewer = await daemon.account('viewer', { role: 'viewer' });
    const { body } = await daemon.call('POST', '/api/v1/domains', {
      token: owner.token,
      json: { domain: 'statistics.example.net' },
    });
    const path = `/api/v1/domains/${body.domain.id}/statistics`;
    const read = (at: string, token: string) => daemon.call('GET', at, { token });

    const { status, body: answer } = await read(path, owner.token);
    assert.is(status, 200);
    const { statistics } = answer;
    assert.is(statistics.step as unknown, 300);
    assert.ok(listOf(statistics.bytes.sent_counts).length >= 288);
    assert.equal(statistics.nodes as unknown, { answered: [], missing: [daemon.nodeName] });
    assert.is((await read('/api/v1/statistics', viewer.token)).status, 200);
    const foreign = await read(path, stranger.token);
    assert.equal([foreign.status, foreign.body.error.code as unknown], [404, 'no_such_domain']);
    assert.is((await read(`/api/v1/statistics?account=${owner.id}`, stranger.token)).status, 403);
    assert.is((await read(`/api/v1/statistics?account=${owner.id}`, daemon.adminToken)).status, 200);
    assert.is((await read(path, daemon.adminToken)).status, 200);
  } finally {
    await daemon.stop();
  }
});

test('invalid ranges and steps are 422 with their parameter', async () => {
  const daemon = await startDaemon();
  try {
    const at = (age: number): string => encodeURIComponent(formatTime(nowSeconds() - age));
    const cases: [query: string, code: string, pointer: string][] = [
      ['from=yesterday', 'invalid_time', '/from'],
      ['to=2026-13-01%2000:00:00', 'invalid_time', '/to'],
      [`from=${at(0)}&to=${at(HOUR)}`, 'invalid_range', '/from'],
      [`from=${at(40 * DAY)}`, 'invalid_range', '/from'],
      [`to=${at(-3 * DAY)}`, 'invalid_range', '/to'],
      ['step=7', 'invalid_step', '/step'],
      [`from=${at(5 * DAY)}&step=300`, 'invalid_step', '/step'],
    ];
    for (const [query, code, pointer] of cases) {
      const { status, body } = await daemon.call('GET', `/api/v1/statistics?${query}`, { token: daemon.adminToken });
      assert.equal([status, body.error.code, body.error.pointer] as unknown, [422, code, pointer], query);
    }
    const unknown = await daemon.call('GET', '/api/v1/statistics?steps=300', { token: daemon.adminToken });
    assert.is(unknown.status, 400);
  } finally {
    await daemon.stop();
  }
});

test.run();
