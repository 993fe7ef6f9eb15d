/** Tests of origins before they are saved, against real servers. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Target, tryOrigin } from '../../../../admin-api/sites/proxy/origin-test.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { listen } from '../../../support/listen.ts';

const test = suite('admin-api/sites/proxy/origin-test');

const root = { name: 'Root', key: ecKey() };
const ca = [certificate({ ...root, ca: true })];

/** Runs a test of the server; what it found. */
async function tried(server: Server, target: Partial<Target>) {
  const port = await listen(server);
  try {
    const { test: result } = await tryOrigin(
      {
        ...{ host: 'origin.test', addresses: ['127.0.0.1'], port, isTls: false, visited: 'shop.test', ca },
        open: (host, to) => connect({ host, port: to }),
        ...target,
      },
      [],
    );
    return { ...result, steps: result.steps.map(({ step, ok, detail }) => `${step} ${ok}: ${detail}`) };
  } finally {
    server.close();
  }
}

const secured = (dnsNames: string[], issuer: typeof root | null = root) => {
  const key = ecKey();
  return createTlsServer(
    { key: pemOfKey(key), cert: certificate({ name: 'x', key, issuer: issuer ?? undefined, dnsNames }) },
    (_, response) => response.end(),
  );
};

test('an origin answers a request for the domain, after informational responses', async () => {
  const server = createServer((request, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.writeHead(request.headers.host === 'shop.test' ? 404 : 500).end();
  });
  const { ok, steps, status } = await tried(server, { addresses: ['127.0.0.2', '127.0.0.1'] });
  assert.equal([ok, status, steps[1]], [true, 404, 'http true: Status 404 for shop.test/.']);
});

test('a certificate has to be trusted, and for the origin or its domain', async () => {
  const good = await tried(secured(['origin.test']), { isTls: true });
  assert.equal([good.ok, good.status, good.certificate?.names], [true, 200, ['origin.test']]);
  const byDomain = await tried(secured(['shop.test']), { isTls: true, host: '127.0.0.1' });
  assert.is(byDomain.ok, true);
  const other = await tried(secured(['other.test']), { isTls: true });
  assert.equal([other.ok, other.status], [false, null]);
  assert.is(other.steps.at(-1), 'tls false: Its certificate is not for origin.test.');
  const own = await tried(secured(['origin.test'], null), { isTls: true });
  assert.match(own.steps.at(-1)!, /^tls false: Its certificate is not trusted \(/);
  assert.equal(own.certificate?.names, ['origin.test']);
});

test('a server that speaks something else, or closes, fails its step', async () => {
  const ssh = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2 and so on\r\n'));
  assert.is((await tried(ssh, {})).steps.at(-1), 'http false: Its response is not HTTP/1.1.');
  const silent = createTcpServer((socket) => socket.destroy());
  assert.match((await tried(silent, {})).steps.at(-1)!, /^http false: It closed the connection/);
  const plain = await tried(createServer(), { isTls: true });
  assert.match(plain.steps.at(-1)!, /^tls false: /);
  const endless = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.write(`HTTP/1.1 103 Early Hints\r\n${'x: y\r\n'.repeat(4000)}`);
  });
  assert.is((await tried(endless, {})).steps.at(-1), 'http false: Its response is not HTTP/1.1.');
});

test('an address without a listener is refused', async () => {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((done) => server.close(done));
  const { ok, steps } = await tried(createTcpServer(), { port });
  assert.equal([ok, steps], [false, ['tcp false: It refused the connection.']]);
});

test.run();
