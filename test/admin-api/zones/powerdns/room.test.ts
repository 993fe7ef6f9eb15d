/** Access to the PowerDNS-compatible API: keys, scopes, restrictions, ids of zones, errors. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type Daemon, startDaemon } from '../../daemon.ts';

const SERVER = '/api/v1/servers/localhost';
const JSON_ACCEPT = { accept: 'application/json' };

const test = suite<{ daemon: Daemon; token: string }>('powerdns, room');

test.before(async (context) => {
  context.daemon = await startDaemon();
  const { token } = await context.daemon.account('anna');
  context.token = token;
  await context.daemon.call('POST', '/api/v1/domains', { token, json: { domain: 'example.org' } });
});
test.after(({ daemon }) => daemon.stop());

const errorOf = ({ status, body }: Answer): string => `${status} ${body.error}`;

test('every endpoint requires a key: X-API-Key or Authorization: Bearer', async ({ daemon, token }) => {
  for (const { method, path } of daemon.api.compatible) {
    const at = path.replaceAll(/\{\w+\}/g, 'x');
    const wrong: Record<string, string>[] = [{}, { 'x-api-key': 'secret' }, { 'x-api-key': '' }, { cookie: 'a=b' }];
    for (const headers of wrong) {
      const answer = await daemon.call(method, at, { token: null, headers });
      assert.is(answer.status, 401, `${method} ${path}`);
      // The versions of the API have paths of ours.
      if (!path.startsWith('/api/v1/servers')) continue;
      assert.is(errorOf(answer), '401 Unauthorized', `${method} ${path}`);
      assert.is(answer.headers.get('www-authenticate'), 'X-API-Key realm="Waypost"');
    }
  }
  const zone = `${SERVER}/zones/example.org.`;
  assert.is((await daemon.call('GET', zone, { headers: { 'x-api-key': token } })).status, 200);
  assert.is((await daemon.call('GET', zone, { token })).status, 200);
});

test('a key without the scope, or with read access alone, is refused with 403 and the reason', async ({
  daemon,
  token,
}) => {
  for (const scopes of [['packages'], ['dns:read']]) {
    const { body } = await daemon.call('POST', '/api/v1/tokens', { token, json: { name: 't', scopes } });
    const headers = { ...JSON_ACCEPT, 'x-api-key': String(body.token) };
    for (const { method, path, scope } of daemon.api.compatible) {
      if (scopes[0] === 'dns:read' && method === 'GET' && scope === 'dns') continue;
      const answer = await daemon.call(method, path.replaceAll(/\{\w+\}/g, 'x'), { headers });
      assert.is(answer.status, 403, `${method} ${path}`);
      if (path.startsWith('/api/v1/servers'))
        assert.match(String(answer.body.error), /^The token does not have the scope/);
    }
  }
});

test('a zone id has a last dot or none, any case, and escapes', async ({ daemon, token }) => {
  for (const id of ['example.org.', 'example.org', 'EXAMPLE.org.', 'ex=61mple.org.', 'ex%61mple.org.'])
    assert.is((await daemon.call('GET', `${SERVER}/zones/${id}`, { token })).body.id, 'example.org.');
});

test('zones of others, and unknown ones, are 404', async ({ daemon }) => {
  const other = await daemon.account('bert');
  for (const id of ['example.org.', 'nowhere.org.', '=2F', 'a..b', '%20', 'x'.repeat(300)])
    assert.is(errorOf(await daemon.call('GET', `${SERVER}/zones/${id}`, other)), '404 Not Found');
});

test('a restricted key reaches its zones alone', async ({ daemon, token }) => {
  const second = await daemon.call('POST', '/api/v1/domains', { token, json: { domain: 'second.example' } });
  const domains = [Number(second.body.domain.id)];
  const { body } = await daemon.call('POST', '/api/v1/tokens', {
    token,
    json: { name: 't', scopes: ['dns'], domains },
  });
  const headers = { 'x-api-key': String(body.token) };
  assert.is((await daemon.call('GET', `${SERVER}/zones/second.example.`, { headers })).status, 200);
  assert.is((await daemon.call('GET', `${SERVER}/zones/example.org.`, { headers })).status, 404);
});

test('errors are JSON, unless a client accepts other content only', async ({ daemon, token }) => {
  const at = (method: string, path: string, headers = {}) => daemon.call(method, path, { token, headers });
  for (const path of [`${SERVER}/nothing`, '/api/v1/servers/other', `${SERVER}/zones/`]) {
    const plain = await at('GET', path, { accept: 'text/plain' });
    assert.is(`${plain.status} ${plain.text}`, '404 Not Found');
    assert.is(plain.headers.get('content-type'), 'text/plain; charset=utf-8');
    for (const headers of [JSON_ACCEPT, { accept: '*/*' }, {}]) {
      const json = await at('GET', path, headers);
      assert.is(json.status, 404);
      assert.is(json.body.error, 'Not Found');
      assert.is(json.headers.get('content-type'), 'application/json');
    }
  }
  const wrong = await at('POST', `${SERVER}/zones/example.org.`, JSON_ACCEPT);
  assert.is(`${wrong.status} ${wrong.body.error}`, '405 Method Not Allowed');
  assert.match(String(wrong.headers.get('allow')), /GET/);
});

test.run();
