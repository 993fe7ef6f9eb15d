/** The dashboard names the account to act for at every endpoint that takes it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ACTED_ENDPOINTS } from '../../../admin-api/dashboard/acted-endpoints.ts';
import { addressOf, keepAccount } from '../../../admin-api/dashboard/addresses.ts';
import { startDaemon } from '../daemon.ts';

test('the endpoints are those that take ?account=', async () => {
  const daemon = await startDaemon();
  try {
    const taken = daemon.api.routes.filter(({ query }) => Object.hasOwn(query ?? {}, 'account'));
    assert.equal(taken.map(({ method, path }) => `${method} ${path}`).sort(), [...ACTED_ENDPOINTS].sort());
  } finally {
    await daemon.stop();
  }
});

test('addresses name the account while it is acted for', () => {
  keepAccount(7);
  assert.is(addressOf('records', { domain_id: 3 }), '/domains/3/records?account=7');
  assert.is(addressOf('domains', {}, { q: 'a&b' }), '/domains?q=a%26b&account=7');
  assert.is(addressOf('signIn', {}, { return: '/domains?account=7' }), '/sign-in?return=%2Fdomains%3Faccount%3D7');
  // An administrator manages the own password only.
  assert.is(addressOf('ownAccount'), '/account');
  keepAccount(null);
  assert.is(addressOf('records', { domain_id: 3 }), '/domains/3/records');
});

test.run();
