/** Checks of origins: what counts as up, and what is reported otherwise. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProbeRequest } from '../../../core/site/health/probe.ts';
import { completeEntry, type OriginsEntry } from '../../../core/site/pools/document.ts';
import { DEFAULTS } from '../../../core/site/pools/limits.ts';
import { createProbe } from '../../../edge/daemon/probe.ts';
import { FakeOrigin, type PendingRequest } from '../proxy/fake-origin.ts';

async function probe(
  fields: Partial<OriginsEntry>,
  respond: (pending: PendingRequest) => void,
  check: Partial<ProbeRequest['check']> = {},
): Promise<{ reason: string; pending: PendingRequest }> {
  const entry = completeEntry({ pool: [{ origin: 'a.example.net' }], ...fields });
  const origin = new FakeOrigin(respond);
  const result = await createProbe(
    origin.fetch,
    () => '',
  )({
    ...{
      domainId: 7,
      account: '3',
      domain: 'site.test',
      entry,
      origin: entry.pool[0],
      check: { ...DEFAULTS.health, ...check },
      isLenient: false,
    },
  });
  return { reason: result.kind === 'failure' ? result.reason : result.kind, pending: origin.last };
}

test('a status from 200 to 399 is up, or the status that the check expects', async () => {
  for (const [status, expected, reason] of [
    [200, null, 'success'],
    [399, null, 'success'],
    [404, null, 'Status 404; expected 200 to 399.'],
    [404, 404, 'success'],
    [200, 204, 'Status 200; expected 204.'],
  ] as const)
    assert.is((await probe({}, (pending) => pending.answer(status), { status: expected })).reason, reason);
});

test('a fault is a sentence without an address', async () => {
  const { reason } = await probe({}, (pending) => pending.fail('refused'));
  assert.is(reason, 'It refused the connection.');
  const unreachable = await probe({}, (pending) => pending.fail('unreachable'));
  assert.is(unreachable.reason, 'There is no route to its address.');
  for (const fault of ['forbidden', 'tls', 'unresolved'] as const)
    assert.not.match(String((await probe({}, (pending) => pending.fail(fault))).reason), /203\.0/);
});

test('a check without a free connection has no result', async () => {
  assert.is((await probe({}, (pending) => pending.fail('busy'))).reason, 'busy');
});

test('an origin that does not respond in time is down', async () => {
  const { reason, pending } = await probe({}, () => {}, { timeout: 0.01 });
  assert.equal([reason, pending.isCancelled], ['No response within 0.01 seconds.', true]);
});

test('the request has the path, and the host of the entry', async () => {
  for (const [name, host] of [
    ['*', 'site.test'],
    ['@', 'site.test'],
    ['www', 'www.site.test'],
    ['*.dev', 'dev.site.test'],
  ]) {
    const { pending } = await probe({ name }, (request) => request.answer(200), { path: '/up' });
    const { path, authority, method } = pending.request;
    assert.equal([path, authority, method, pending.body.isCancelled], ['/up', host, 'GET', true]);
  }
});

test.run();
