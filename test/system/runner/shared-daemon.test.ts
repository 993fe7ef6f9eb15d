/** Tests that borrow a daemon do not meet what others have left in it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { untilPasses } from '../../support/until.ts';

const LISTS = ['domains', 'webhooks', 'tsig-keys'];

async function fill({ api }: Borrowed): Promise<void> {
  await api.logIn('admin', ADMIN_PASSWORD);
  await api.createDomain('own.test');
  const made = await api.call('POST', '/api/v1/accounts', { username: 'other', password: ADMIN_PASSWORD });
  const { id } = made.body.account as { id: number };
  for (const domain of ['other.test', 'more.test']) await api.call('POST', `/api/v1/domains?account=${id}`, { domain });
  await api.call('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/' });
  await api.call('POST', '/api/v1/tsig-keys', { name: 'key' });
}

async function counts({ api }: Borrowed): Promise<number[]> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const bodies = LISTS.map(async (list) => (await api.call('GET', `/api/v1/${list}`)).body[list.replace('-', '_')]);
  const accounts = (await api.call('GET', '/api/v1/accounts')).body.accounts;
  return [...(await Promise.all(bodies)), accounts].map((list) => (list as unknown[]).length);
}

test('a daemon that is given back is lent again, empty', async () => {
  const first = await borrowDaemon();
  await fill(first);
  assert.equal(await counts(first), [1, 1, 1, 2]);
  await first.giveBack();
  const second = await borrowDaemon();
  assert.is(second.pid, first.pid);
  assert.equal(await counts(second), [0, 0, 0, 1]);
  await second.giveBack();
});

test('a daemon that is not given back, or in which admin was changed, is not lent again', async () => {
  const first = await borrowDaemon();
  const second = await borrowDaemon();
  assert.is.not(second.pid, first.pid);
  await second.api.logIn('admin', ADMIN_PASSWORD);
  const change = { password: ADMIN_PASSWORD, new_password: `another ${ADMIN_PASSWORD}` };
  await second.api.call('PUT', '/api/v1/account/password', change);
  await second.giveBack();
  const third = await borrowDaemon();
  assert.is.not(third.pid, second.pid);
  await third.giveBack();
});

test('a daemon that ends fails the test that has it', async () => {
  const first = await borrowDaemon();
  process.kill(first.pid, 'SIGKILL');
  await untilPasses(() => assert.throws(() => process.kill(first.pid, 0)));
  let message = '';
  await first.giveBack().catch((error: Error) => (message = error.message));
  assert.match(message, /^the shared daemon has ended/);
  assert.is.not((await borrowDaemon()).pid, first.pid);
});

test.run();
