/**
 * Requests for other protocols as Docker (`tcp`) and kubectl (`SPDY/3.1`) send them, those that are
 * never passed on, and uploads that are larger than a site or a rule accepts.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { ORIGIN_ADDRESS, type SiteRig, withSites } from './rig.ts';

const test = suite('upgrades and uploads');
const why = whyNotPrograms('curl');
const SITE = 'site.test';

interface Origin {
  readonly port: number;
  readonly requests: { readonly line: string; readonly headers: IncomingHttpHeaders; body: string }[];
  close(): void;
}

/** Accepts tunnels to `tcp` and `SPDY/3.1`, and echoes their bytes in capitals. */
async function startOrigin(): Promise<Origin> {
  const requests: Origin['requests'] = [];
  const sockets = new Set<Duplex>();
  const server = createServer(async (incoming, response) => {
    const entry = { line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body: '' };
    requests.push(entry);
    let bytes = 0;
    try {
      for await (const part of incoming) bytes += part.length;
      response.end(`${bytes} bytes`);
    } catch {
      // The edge breaks off an upload that is too large.
    }
  });
  server.on('upgrade', ({ method, url, headers }, socket: Duplex, head: Buffer) => {
    sockets.add(socket);
    const entry = { line: `${method} ${url}`, headers, body: head.toString('latin1') };
    requests.push(entry);
    const length = Number(headers['content-length'] ?? 0);
    let isOpen = false;
    const open = (): void => {
      if (isOpen || entry.body.length < length) return;
      isOpen = true;
      socket.write(`HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`);
    };
    socket.on('error', () => {});
    socket.on('data', (part: Buffer) => {
      if (isOpen) socket.write(part.toString('latin1').toUpperCase());
      else entry.body += part.toString('latin1');
      open();
    });
    socket.on('end', () => socket.end('[end]'));
    open();
  });
  await new Promise<void>((done) => void server.listen(0, ORIGIN_ADDRESS, done));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, requests, close };
}

async function withWorld(use: (rig: SiteRig, origin: Origin, id: string) => Promise<void>): Promise<void> {
  const origin = await startOrigin();
  try {
    const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' };
    await withSites(settings, async (rig) => {
      const id = await rig.addSite(SITE, { host: ORIGIN_ADDRESS, port: origin.port, protocol: 'http' });
      await use(rig, origin, id);
    });
  } finally {
    origin.close();
  }
}

test('Docker and kubectl get their tunnels, with the body of the request before', async () => {
  await withWorld(async ({ https, root }, { requests }) => {
    for (const [protocol, body] of [
      ['tcp', '{"Detach":false,"Tty":true}'],
      ['tcp', ''],
      ['SPDY/3.1', ''],
    ]) {
      const [socket, status] = await new Promise<[Duplex, number | undefined]>((resolve, reject) => {
        const outgoing = request({
          ...{ host: '127.0.0.1', port: https, ca: root.pem, servername: SITE, method: 'POST', path: '/exec/1/start' },
          headers: { host: SITE, connection: 'Upgrade', upgrade: protocol, 'content-length': body.length },
        });
        outgoing.on('upgrade', ({ statusCode }, its) => resolve([its, statusCode]));
        outgoing.on('response', ({ statusCode }) => reject(new Error(`no tunnel, but ${statusCode}`)));
        outgoing.on('error', reject);
        outgoing.end(body);
      });
      assert.is(status, 101);
      const { line, headers, body: received } = requests.at(-1)!;
      assert.equal([line, headers.upgrade, received], ['POST /exec/1/start', protocol, body]);
      let text = '';
      socket.on('data', (part: Buffer) => {
        text += part.toString('latin1');
      });
      socket.write('hello');
      await until(() => text === 'HELLO', 'the echo');
      socket.end();
      await until(() => text === 'HELLO[end]', 'the end of the origin');
    }
  });
});

if (why === null) {
  test('an upgrade to HTTP is never passed on; curl gets its response', async () => {
    await withWorld(async ({ https, root }, { requests }) => {
      for (const protocol of ['h2c', 'H2C', 'HTTP/2.0', 'TLS/1.2', 'tcp, h2c']) {
        const { code, output } = await runProgram('curl', [
          ...['-sS', '--http1.1', '--cacert', root.file, '-H', 'Connection: Upgrade, HTTP2-Settings'],
          ...['-H', `Upgrade: ${protocol}`, '-H', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'],
          ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}/`],
        ]);
        assert.equal([code, output], [0, '0 bytes']);
        const { headers } = requests.at(-1)!;
        assert.equal([headers.upgrade, headers['http2-settings']], [undefined, undefined]);
      }
    });
  });

  for (const flag of ['--http1.1', '--http2'])
    test(`curl ${flag} gets 413 for uploads that are too large, with and without a length`, async () => {
      const file = join(temporaryFolder('upload'), 'body');
      writeFileSync(file, Buffer.alloc(3_000_000, 'a'));
      await withWorld(async ({ daemon: { api }, https, root }, { requests }, id) => {
        const at = `/api/v1/domains/${id}/proxy`;
        await api.call('PUT', `${at}/protection`, { uploads: { max_size: 1_000_000 } });
        const match = { path: { prefix: ['/large'] } };
        await api.call('PUT', `${at}/rules`, { rules: [{ match, action: { type: 'limit_upload', size: 5_000_000 } }] });
        const send = async (path: string, ...args: readonly string[]): Promise<string> => {
          const { code, output } = await runProgram('curl', [
            ...['-sS', flag, '--cacert', root.file, '-T', file, '-H', 'accept: text/plain', '-w', ' %{http_code}'],
            ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, ...args, `https://${SITE}${path}`],
          ]);
          assert.is(code, 0, output);
          return output;
        };
        await until(async () => / 413$/.test(await send('/')), 'the protection holds');
        await until(async () => (await send('/large')) === '3000000 bytes 200', 'the rule holds');
        requests.length = 0;
        for (const args of [[], ['-H', 'Expect:'], ['-H', 'Expect: 100-continue']])
          assert.match(await send('/', ...args), / 413$/);
        assert.is(requests.length, 0);
        assert.match(await send('/', '-H', 'Transfer-Encoding: chunked'), / 413$/);
        assert.is(await send('/large', '-H', 'Transfer-Encoding: chunked'), '3000000 bytes 200');
        assert.is(requests.at(-1)!.headers['transfer-encoding'], 'chunked');
        // A buffer that holds the whole body makes its length known.
        await api.call('PUT', `${at}/protection`, { uploads: { buffer: 4_000_000 } });
        await until(async () => {
          assert.is(await send('/large', '-H', 'Transfer-Encoding: chunked'), '3000000 bytes 200');
          return requests.at(-1)!.headers['content-length'] === '3000000';
        }, 'the buffer holds');
      });
    });
}

test('node:http2 gets 501 for other protocols than websocket in an extended CONNECT', async () => {
  await withWorld(async ({ https, root }, { requests }) => {
    const session = connectHttp2(`https://127.0.0.1:${https}`, { ca: root.pem, servername: SITE });
    await new Promise((done) => session.once('remoteSettings', done));
    assert.is(session.remoteSettings.enableConnectProtocol, true);
    for (const protocol of ['connect-udp', 'connect-ip', 'webtransport', 'tcp']) {
      const stream = session.request(
        { ':method': 'CONNECT', ':protocol': protocol, ':scheme': 'https', ':authority': SITE, ':path': '/' },
        { endStream: false },
      );
      const status = await new Promise((resolve, reject) => {
        stream.on('response', (headers) => resolve(headers[':status']));
        stream.on('error', reject);
      });
      assert.is(status, 501, protocol);
      stream.close();
    }
    assert.is(requests.length, 0);
    session.destroy();
  });
});

test.run();
