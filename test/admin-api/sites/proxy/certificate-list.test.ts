/** GET /api/v1/certificates: which certificates need attention. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemOf } from '../../../../admin-api/sites/proxy/certificate-list.ts';
import { noProxy } from '../../../../admin-api/sites/proxy/view.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type ProxyConfig, proxies } from '../../../../core/store/rows.ts';
import { type Daemon, listOf, startDaemon } from '../../daemon.ts';

const test = suite<{ daemon: Daemon }>('list of certificates');

test.before(async (context) => {
  context.daemon = await startDaemon();
});
test.after(({ daemon }) => daemon.stop());

const DAY = 86_400;
const NOW = 1_000 * DAY;

test('needs attention: an error, an end that is near, and an order that takes long', () => {
  const problem = (row: Partial<ProxyConfig>, isUploaded = false) =>
    problemOf({ ...noProxy(1), enabled: true, ...row }, isUploaded, NOW);
  const lasting = (days: number, lifetime: number) => ({
    sslStatus: 'active' as const,
    sslIssuedAt: NOW + (days - lifetime) * DAY,
    sslExpiresAt: NOW + days * DAY,
  });
  assert.is(problem({}), null);
  assert.is(problem({ sslStatus: 'error', sslError: 'why' }), 'why');
  assert.is(problem(lasting(15, 90)), null);
  assert.match(String(problem(lasting(13, 90))), 'was not renewed');
  assert.match(String(problem(lasting(13, 90), true)), 'upload a new one');
  // Certificates of six days are renewed two days before their end.
  assert.is(problem(lasting(2, 6)), null);
  assert.match(String(problem(lasting(1, 6))), 'was not renewed');
  assert.is(problem({ sslStatus: 'pending', orderRequestedAt: NOW - 60 }), null);
  assert.match(String(problem({ sslStatus: 'pending', orderRequestedAt: NOW - DAY })), 'more than an hour ago');
});

test('lists domains whose proxy is on, of the own account or that an administrator names', async ({ daemon }) => {
  const [alice, bob] = [await daemon.account('alice'), await daemon.account('bob')];
  const add = async (domain: string, row: Partial<ProxyConfig>): Promise<void> => {
    const { body } = await daemon.call('POST', '/api/v1/domains', { token: alice.token, json: { domain } });
    const domainId = Number(body.domain.id);
    await write(daemon.environment, daemon.journal, 'test', (draft) =>
      draft.put(proxies, { ...noProxy(domainId), ...row }),
    );
  };
  await add('off.example', { enabled: false, sslError: 'not shown' });
  await add('well.example', { enabled: true });
  await add('ill.example', { enabled: true, sslStatus: 'error', sslError: 'no delegation' });
  const list = async (query: string, token: string) => {
    const { status, body } = await daemon.call('GET', `/api/v1/certificates${query}`, { token });
    if (status !== 200) return `${status} ${body.error.code}`;
    return listOf(body.certificates).map(({ domain, problem }) => `${domain} ${problem}`);
  };
  assert.equal(await list('', alice.token), ['ill.example no delegation', 'well.example null']);
  assert.equal(await list('?only=problems', alice.token), ['ill.example no delegation']);
  assert.equal(await list('', bob.token), []);
  assert.equal(await list(`?account=${alice.id}&only=problems`, daemon.adminToken), ['ill.example no delegation']);
  assert.is(await list(`?account=${alice.id}`, bob.token), '403 forbidden');
  assert.is(await list('?only=others', alice.token), '400 invalid_only');
});

test.run();
