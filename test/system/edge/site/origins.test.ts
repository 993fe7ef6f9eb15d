/**
 * The daemon with a domain whose names live on different servers: which one each visitor reaches.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, get, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { UdpClient } from '../../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { untilPasses } from '../../../support/until.ts';
import { makeRoot, ORIGIN_ADDRESS, withSites } from './rig.ts';

const DOMAIN = 'site.test';
const FIRST = '127.0.0.78';
const SECOND = '127.0.0.79';
const CLUSTER = '192.0.2.80';

interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function visit(port: number, host: string, path = '/'): Promise<Page> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, headers: { host }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text, headers: response.headers }));
    }).on('error', reject);
  });
}

/** Names itself in the body, and its address in fields that visitors must not see. */
const describing =
  (name: string, address: string): RequestListener =>
  ({ headers }, response) => {
    response.writeHead(200, {
      'cache-control': 'max-age=60',
      'x-backend': address,
      link: `<https://${address}/a>; rel=next`,
    });
    response.end(`${name} for ${headers.host}`);
  };

/** The server listens. Null: this process may not use the port. */
async function listening(server: Server, port: number, address: string): Promise<Server | null> {
  try {
    server.listen(port, address);
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}

async function addressesOf(client: UdpClient, name: string): Promise<string[]> {
  const response = await client.query(encodeQuery({ name: parseName(name), type: TYPE.A, class: 1 }, 7));
  assert.ok(response !== null);
  return decodeMessage(response).answer.map(({ type, rdata }) => formatRdata(type, rdata));
}

test('each name is served by its own server, with and without an origin', async () => {
  const root = makeRoot('Root of origins');
  const tls = root.issue([`*.${DOMAIN}`]);
  const named = (name: string, address: string) => createHttpsServer(tls, describing(name, address));
  const main = createHttpServer(describing('main', ORIGIN_ADDRESS));
  const servers = [
    await listening(main, 0, ORIGIN_ADDRESS),
    await listening(named('first', FIRST), 443, FIRST),
    await listening(named('second', SECOND), 443, SECOND),
  ];
  if (servers.includes(null)) {
    process.stdout.write('skipped: port 443 needs root\n');
    for (const server of servers) server?.close();
    return;
  }
  const settings = {
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_EDGE_ORIGIN_CA_FILE: root.file,
    WAYPOST_CLUSTER_IPV4: CLUSTER,
    WAYPOST_CLUSTER_IPV6: '2001:db8::80',
  };
  try {
    await withSites(settings, async ({ daemon, http }) => {
      const { api } = daemon;
      const client = await UdpClient.connect(daemon.dnsPort);
      const id = await api.createDomain(DOMAIN);
      const proxy = `/api/v1/domains/${id}/proxy`;
      const www = await api.createRecord(id, 'www', 'A', FIRST);
      await api.createRecord(id, 'shop', 'A', SECOND);
      await api.createRecord(id, 'alias', 'CNAME', `shop.${DOMAIN}`);
      await api.createRecord(id, 'inside', 'A', '10.0.0.1');
      await api.createRecord(id, 'home', 'CNAME', DOMAIN);
      const text = async (name: string): Promise<string> => (await visit(http, `${name}${DOMAIN}`)).text;

      // 1. On, without an origin.
      const { body } = await api.call('POST', `${proxy}/toggle`, { enable: true });
      const { is_enabled, warnings } = body.proxy as { is_enabled: number; warnings: string[] };
      assert.equal([is_enabled, warnings.length], [1, 3], warnings.join('\n'));
      assert.equal(await addressesOf(client, `www.${DOMAIN}`), [CLUSTER]);
      assert.equal(
        [await text('www.'), await text('shop.'), await text('alias.')],
        [`first for www.${DOMAIN}`, `second for shop.${DOMAIN}`, `second for alias.${DOMAIN}`],
      );
      const inside = await visit(http, `inside.${DOMAIN}`);
      assert.equal([inside.status, /no public address/.test(inside.text)], [502, true]);
      assert.is((await visit(http, DOMAIN)).status, 404, 'the apex has no records');
      const seen = await visit(http, `shop.${DOMAIN}`, '/again');
      assert.equal([seen.headers['x-backend'], seen.headers.link], [undefined, `<http://shop.${DOMAIN}/a>; rel=next`]);
      // The other edge thread has it as soon as the disk does.
      await untilPasses(async () =>
        assert.match(String((await visit(http, `shop.${DOMAIN}`)).headers['cache-status']), /hit/),
      );

      // 2. With an origin: other servers keep their names.
      const { port } = main.address() as AddressInfo;
      const set = await api.call('PUT', proxy, { origin: ORIGIN_ADDRESS, port, protocol: 'http' });
      assert.equal((set.body.proxy as { warnings: string[] }).warnings, []);
      const fresh = async (name: string): Promise<string> =>
        (await visit(http, `${name}${DOMAIN}`, `/${Math.random()}`)).text.split(' ')[0];
      for (const [name, server] of Object.entries({
        '': 'main',
        'home.': 'main',
        'inside.': 'main',
        'www.': 'first',
        'shop.': 'second',
        'alias.': 'second',
      }))
        assert.is(await fresh(name), server, name);
      assert.equal(await addressesOf(client, DOMAIN), [CLUSTER]);

      // 3. A name moves to the origin, with the records alone.
      const moved = { name: 'www', type: 'A', content: ORIGIN_ADDRESS, ttl: 300 };
      await api.call('PUT', `/api/v1/domains/${id}/records/${www}`, moved);
      assert.is(await fresh('www.'), 'main');

      // 4. Off: the apex resolves to the origin, which no list of records shows.
      await api.call('POST', `${proxy}/toggle`, { enable: false });
      assert.equal(await addressesOf(client, DOMAIN), [ORIGIN_ADDRESS]);
      assert.equal(await addressesOf(client, `home.${DOMAIN}`), [`${DOMAIN}.`, ORIGIN_ADDRESS]);
      const listed = await api.call('GET', `/api/v1/domains/${id}/records?name=@`);
      assert.equal(listed.body.records, []);
      const { text: file } = await api.request('GET', `/api/v1/domains/${id}/zonefile`);
      assert.not.match(file, /^(@|site\.test\.)\s.*\sA\s/m);
      client.close();
    });
  } finally {
    for (const server of servers) server?.close();
  }
});

test.run();
