/** The API serves its own host names only: no page of another name reaches it (DNS rebinding). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, startDaemon } from '../daemon.ts';
import { exchange } from '../exchange.ts';

const FOREIGN = [
  'rebound.attacker.test',
  'rebound.attacker.test:8300',
  'localhost.attacker.test',
  '127.0.0.1.attacker.test',
  '127.0.0.1.attacker.test:8300',
  'xlocalhost',
  'api.example.net.attacker.test',
  '[::1].attacker.test',
  'localhost:8300:8300',
  'a@localhost',
  'host.docker.internal',
  '',
];
const OWN = [
  ...['localhost', 'localhost:8300', 'LOCALHOST', 'localhost.', '127.0.0.1', '127.0.0.1:8300', '192.0.2.7:80'],
  ...['[::1]', '[::1]:8300', '[2001:db8::1]:8300', 'api.example.net', 'API.example.net:443', 'api.example.net.'],
  'waypost:8300',
];
const PATHS = [
  ...['/', '/metrics', '/healthz', '/readyz', '/api/v1/domains', '/api/v1/servers', '/openapi.json', '/nowhere'],
];

for (const transport of ['uws', 'node'] as const) {
  const test = suite<{ daemon: Daemon }>(`host names, ${transport}`);
  test.before(async (context) => {
    context.daemon = await startDaemon(transport, { WAYPOST_ADMIN_HOSTNAME: 'Api.Example.net,waypost' });
  });
  test.after(({ daemon }) => daemon.stop());

  test('a request for another name is 421 on every path, with the setting in the error', async ({ daemon }) => {
    for (const host of FOREIGN)
      for (const path of PATHS) {
        const { status, text } = await exchange(daemon.url + path, 'GET', { host });
        assert.is(status, 421, `${host} ${path}`);
        assert.match(text, /admin\.hostname/);
      }
  });

  test('nothing is done for it, even with a token', async ({ daemon }) => {
    const headers = { authorization: `Bearer ${daemon.adminToken}`, 'content-type': 'application/json' };
    const before = daemon.writes();
    const body = JSON.stringify({ domain: 'rebound.test' });
    const { status } = await exchange(`${daemon.url}/api/v1/domains`, 'POST', { ...headers, host: FOREIGN[0] }, body);
    assert.is(status, 421);
    const login = JSON.stringify({ login: 'admin', password: 'x', name: 'x' });
    const signIn = `${daemon.url}/api/v1/auth/token`;
    assert.is((await exchange(signIn, 'POST', { ...headers, host: FOREIGN[1] }, login)).status, 421);
    assert.is(daemon.writes(), before);
  });

  test('addresses, localhost and the names of admin.hostname are served, with any port', async ({ daemon }) => {
    for (const host of OWN) assert.is((await exchange(`${daemon.url}/healthz`, 'GET', { host })).status, 200, host);
  });

  test.run();
}
