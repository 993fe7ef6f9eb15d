/**
 * Documents of a site in a running daemon: error pages, and logs that reach their receiver with
 * exactly the requests that were sent.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatSignatures } from '../../../../core/delivery/signature.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../../support/daemon.ts';
import { freePort } from '../../../support/ports.ts';
import { untilIs } from '../../../support/until.ts';

const SITE = 'site.test';
const KEY = Buffer.alloc(32, 7);

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a site has its own error pages, and its owner receives a line for each request', async () => {
  const batches: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const receiver = createServer(async (incoming, reply) => {
    batches.push({ headers: incoming.headers, body: await buffer(incoming) });
    reply.end();
  });
  const origin = createServer((_incoming, reply) => void reply.setHeader('cache-control', 'max-age=600').end('hello'));
  const [receiverPort, originPort, httpPort] = [await listen(receiver), await listen(origin), await freePort()];
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: '127.0.0.0/8',
  });
  const visit = async (path: string, accept = 'text/html'): Promise<string> => {
    const { body } = await request(`http://127.0.0.1:${httpPort}${path}`, { headers: { host: SITE, accept } });
    return body.text();
  };
  const linesOf = (path: string): Record<string, unknown>[] =>
    batches
      .flatMap(({ body }) => gunzipSync(body).toString().trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.path === path);
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain(SITE);
    const proxy = `/api/v1/domains/${id}/proxy`;
    await api.createRecord(id, '@', 'A', '192.0.2.7');
    await api.call('PUT', proxy, { origin: '127.0.0.1', port: originPort, protocol: 'http' });
    await api.call('POST', `${proxy}/toggle`, { enable: true });
    await untilIs(() => visit('/first'), 'hello');

    const endpoint = {
      url: `http://127.0.0.1:${receiverPort}/logs`,
      signing_secret: `whsec_${KEY.toString('base64')}`,
    };
    await api.call('PUT', `${proxy}/logs`, { enabled: true, endpoint, client_address: 'truncated' });
    const { body: tested } = await api.call('POST', `${proxy}/logs/test`, {});
    assert.is(tested.delivered, true);
    // A thread learns of the document shortly after.
    await untilIs(async () => {
      await visit('/first?secret=1');
      const { body } = await api.call('GET', `${proxy}/logs/state`);
      const [node] = body.nodes as { waiting_lines: number; delivered_lines: number }[];
      return node.waiting_lines + node.delivered_lines > 0;
    }, true);
    for (let i = 0; i < 20; i++) assert.is(await visit('/counted'), 'hello');

    await api.call('PUT', `${proxy}/error-pages`, { pages: [{ status: '5xx', html: 'own {{status}} {{host}}' }] });
    origin.closeAllConnections();
    origin.close();
    await untilIs(() => visit('/broken'), `own 502 ${SITE}`);
    assert.is(JSON.parse(await visit('/broken', 'application/json')).error.code, 'origin_refused');

    // What waits is delivered when the daemon stops.
    assert.is(await daemon.stop(), 0);
    const counted = linesOf('/counted');
    assert.is(counted.length, 20);
    assert.equal(
      counted.map(({ cache }) => cache),
      ['miss', ...Array(19).fill('hit')],
    );
    const { status, client, host, bytes } = counted[1];
    assert.equal([status, client, host, bytes], [200, '127.0.0.0', SITE, 5]);
    assert.ok(linesOf('/broken').every((line) => line.status === 502 && line.fault === 'refused'));
    assert.ok(linesOf('/broken').length >= 2);
    for (const { headers, body } of batches) {
      assert.not.match(gunzipSync(body).toString(), /secret=1/);
      const signed = { id: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']), body };
      assert.is(headers['webhook-signature'], formatSignatures([KEY], signed));
      assert.equal([headers['waypost-domain'], headers['waypost-dropped']], [SITE, '0']);
    }
  } finally {
    await daemon.close();
    receiver.closeAllConnections();
    receiver.close();
    origin.close();
  }
});

test.run();
