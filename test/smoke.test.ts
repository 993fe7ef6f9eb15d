/**
 * The daemon as a user meets it: a write by the API, its answer by DNS, a page through the edge, a
 * clean stop.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as dns from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, startDaemon } from './support/daemon.ts';
import { UdpClient } from './support/dns-client.ts';
import { freePort } from './support/ports.ts';

const SITE = 'smoke.test';

function fetchPage(port: number, path: string): Promise<{ status: number; text: string; cacheStatus: string }> {
  return new Promise((resolve, reject) => {
    const asking = request({ port, host: '127.0.0.1', path, headers: { host: SITE }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, cacheStatus: String(response.headers['cache-status']) }),
      );
    });
    asking.on('error', reject).end();
  });
}

test('a write by the API, its answer by DNS, a page through the edge', async () => {
  const origin = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=60' }).end('from the origin');
  });
  await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
  const edgePort = await freePort();
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${edgePort}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  });
  try {
    const { api, dnsPort } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain(SITE);
    await api.createRecord(id, '@', 'A', '192.0.2.7');

    const client = await UdpClient.connect(dnsPort);
    const query = dns.encode({ type: 'query', id: 1, questions: [{ name: SITE, type: 'A' }] });
    const answer = await client.query(query);
    client.close();
    assert.ok(answer, 'an answer');
    const { answers = [] } = dns.decode(Buffer.from(answer));
    assert.equal(
      answers.map((record) => record.type === 'A' && record.data),
      ['192.0.2.7'],
    );

    const { port } = origin.address() as AddressInfo;
    await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port, protocol: 'http' });
    await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    const first = await fetchPage(edgePort, '/');
    assert.is(first.status, 200);
    assert.is(first.text, 'from the origin');
    const second = await fetchPage(edgePort, '/');
    assert.is(second.text, 'from the origin');
    assert.match(second.cacheStatus, /;\s*hit/);

    assert.is(await daemon.stop(), 0);
  } finally {
    origin.close();
    await daemon.close();
  }
});

test.run();
