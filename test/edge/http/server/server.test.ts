import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { MAX_SURPLUS } from '../../../../edge/http/server/server.ts';
import { unstalled } from '../../../support/unstalled.ts';
import { until } from '../../../support/until.ts';
import {
  BROKEN_HOST,
  dial,
  dialTls,
  GET,
  getHttp2,
  HOST,
  hello,
  PEM,
  type Rig,
  type RigOptions,
  RSA_PEM,
  readAll,
  withServer as withRig,
} from './rig.ts';

async function handshakeError(dialing: Promise<unknown>): Promise<string> {
  try {
    await dialing;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
  return 'none';
}

for (const tls of ['auto', 'node'] as const) {
  const test = suite(`edge/http/server, tls: ${tls}`);
  const withServer = (use: (rig: Rig) => Promise<void>, options: RigOptions = {}): Promise<void> =>
    withRig(use, { tls, ...options });
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    test(`${version}: ALPN selects the version of HTTP; without it HTTP/1.1`, async () => {
      await withServer(async ({ tlsPort, counters }) => {
        const versions = { minVersion: version, maxVersion: version };
        const socket = await dialTls(tlsPort, versions);
        assert.is(socket.alpnProtocol, 'http/1.1');
        socket.write(GET);
        assert.match(await readAll(socket), /^HTTP\/1\.1 200 [\s\S]*x-name: site\.test\r\n[\s\S]*hello$/);
        const none = await dialTls(tlsPort, { ...versions, ALPNProtocols: undefined });
        assert.is(none.alpnProtocol, false);
        none.write(GET);
        assert.match(await readAll(none), /x-version: 1\.1\r\n/);
        const two = await getHttp2(`https://${HOST}`, tlsPort);
        assert.equal(
          [two.status, two.headers['x-version'], two.headers['x-name'], two.body],
          [200, '2', HOST, 'hello'],
        );
        assert.is(counters.get(version === 'TLSv1.2' ? 'tls_1_2' : 'tls_1_3') >= 2, true);
        assert.equal([counters.get('http1'), counters.get('http2')], [2, 1]);
      });
    });

  test('a client that offers both gets HTTP/2', async () => {
    await withServer(async ({ tlsPort }) => {
      const socket = await dialTls(tlsPort, { ALPNProtocols: ['http/1.1', 'h2'] });
      assert.is(socket.alpnProtocol, 'h2');
      socket.destroy();
    });
  });

  test('HTTP without TLS on the port of HTTPS gets a readable 400', async () => {
    await withServer(async ({ tlsPort, counters }) => {
      for (const request of [GET, `POST / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
        const socket = await dial(tlsPort);
        socket.write(request);
        assert.match(await readAll(socket), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*https:\/\//);
      }
      await until(() => counters.get('handshake_failed') === 3, 'three failed');
      const next = await dialTls(tlsPort);
      next.write(GET);
      assert.match(await readAll(next), /^HTTP\/1\.1 200 /);
    });
  });

  test('no common protocol, no name or an unknown name: an alert, and the next client is served', async () => {
    await withServer(async ({ tlsPort, counters }) => {
      assert.match(await handshakeError(dialTls(tlsPort, { ALPNProtocols: ['dot'] })), /NO_APPLICATION_PROTOCOL/);
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        assert.match(
          await handshakeError(dialTls(tlsPort, { servername: 'else.test', maxVersion })),
          /UNRECOGNIZED_NAME/,
        );
        assert.match(await handshakeError(dialTls(tlsPort, { servername: '', maxVersion })), /HANDSHAKE_FAILURE/);
      }
      await until(() => counters.get('handshake_failed') === 3, 'three failed');
      assert.is(counters.get('unrecognized_name'), 2);
      const upper = await dialTls(tlsPort, { servername: 'SITE.test' });
      upper.write(GET);
      assert.match(await readAll(upper), /x-name: site\.test\r\n/);
      await until(() => counters.get('closed') === counters.get('accepted_tls'), 'all are closed');
    });
  });

  test('with a default certificate, clients without a name and with an unknown one are served', async () => {
    await withServer(
      async ({ tlsPort, counters }) => {
        for (const servername of ['', 'else.test'])
          for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
            for (const ALPNProtocols of [['h2', 'http/1.1'], ['http/1.1'], undefined]) {
              const socket = await dialTls(tlsPort, { servername, maxVersion, ALPNProtocols });
              assert.is(socket.getPeerCertificate().subject.CN, HOST);
              socket.destroy();
            }
        await until(() => counters.get('closed') === counters.get('accepted_tls'), 'all are closed');
        assert.is(counters.get('unrecognized_name'), 0);
      },
      { defaultCertificate: PEM },
    );
  });

  test('of two certificates, the client gets the one whose signatures it verifies', async () => {
    await withServer(
      async ({ tlsPort, counters }) => {
        const typeOf = async (options: ConnectionOptions): Promise<string> => {
          const socket = await dialTls(tlsPort, options);
          const { asn1Curve, bits } = socket.getPeerCertificate();
          socket.destroy();
          return asn1Curve ?? `RSA ${bits}`;
        };
        for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
          assert.is(await typeOf({ maxVersion }), 'prime256v1');
          assert.is(await typeOf({ maxVersion, sigalgs: 'ecdsa_secp256r1_sha256' }), 'prime256v1');
          assert.is(await typeOf({ maxVersion, sigalgs: 'rsa_pss_rsae_sha256:rsa_pkcs1_sha256' }), 'RSA 2048');
          assert.is(await typeOf({ maxVersion, sigalgs: 'rsa_pss_rsae_sha256:ecdsa_secp256r1_sha256' }), 'prime256v1');
        }
        const maxVersion = 'TLSv1.2';
        // Node.js does not show the client's ciphers to the server.
        if (tls === 'auto') assert.is(await typeOf({ maxVersion, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }), 'RSA 2048');
        await until(() => counters.get('closed') === counters.get('accepted_tls'), 'all are closed');
      },
      { certificate: { ...PEM, alternative: RSA_PEM } },
    );
  });

  test('a certificate that cannot be loaded ends its connection only', async () => {
    await withServer(async ({ tlsPort, errors }) => {
      assert.match(await handshakeError(dialTls(tlsPort, { servername: BROKEN_HOST })), /UNRECOGNIZED_NAME/);
      assert.is(errors.length, 1);
      assert.is((await getHttp2(`https://${HOST}`, tlsPort)).status, 200);
    });
  });

  test('TLS 1.2 has neither ciphers that HTTP/2 forbids, though the certificate comes with others, nor renegotiation', async () => {
    await withServer(async ({ tlsPort }) => {
      const maxVersion = 'TLSv1.2';
      // RFC 9113 appendix A; the context of the certificate has node's own list, in which these
      // are.
      for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA384'])
        assert.match(await handshakeError(dialTls(tlsPort, { maxVersion, ciphers })), /HANDSHAKE_FAILURE/, ciphers);
      const socket = await dialTls(tlsPort, { maxVersion, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' });
      assert.is(socket.getCipher().name, 'ECDHE-ECDSA-AES128-GCM-SHA256');
      const refusal = once(socket, 'error');
      socket.renegotiate({}, () => {});
      assert.match(String(await refusal), /no.renegotiation/i);
    });
  });

  test('TLS below 1.2 is refused', async () => {
    await withServer(async ({ tlsPort }) => {
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      assert.match(await handshakeError(dialTls(tlsPort, old)), /PROTOCOL_VERSION/);
    });
  });

  test('without TLS the first bytes select the version, split anywhere', async () => {
    await withServer(async ({ clearPort, counters }) => {
      const reply = await getHttp2(`http://${HOST}`, clearPort);
      assert.equal([reply.status, reply.headers['x-version'], reply.body], [200, '2', 'hello']);
      const text = await dial(clearPort);
      text.write(GET);
      assert.match(await readAll(text), /^HTTP\/1\.1 200 [\s\S]*hello$/);
      // What begins like the preface and goes on otherwise is a request of HTTP/1.1, and none that
      // may be.
      const cut = await dial(clearPort);
      cut.setNoDelay(true);
      for (const part of ['P', 'RI', ' * HTTP/1.1\r\n', 'host: site.test\r\n\r\n']) {
        cut.write(part);
        await sleep(5);
      }
      assert.match(await readAll(cut), /^HTTP\/1\.1 [45]\d\d /);
      const slow = await dial(clearPort);
      slow.setNoDelay(true);
      const preface = Buffer.concat([
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
      ]);
      for (const byte of preface) {
        slow.write(Buffer.of(byte));
        await sleep(1);
      }
      const [first] = (await once(slow, 'data')) as [Buffer];
      assert.is(first[3], 4, 'SETTINGS');
      slow.destroy();
      assert.equal([counters.get('http1'), counters.get('http2')], [2, 2]);
    });
  });

  test('a connection without a protocol is closed after the handshake timeout, with TLS and without', async () => {
    const limits = { handshakeTimeout: 100 };
    await withServer(
      async ({ tlsPort, clearPort, counters }) => {
        const sockets = [await dial(tlsPort), await dial(clearPort), await dial(clearPort)];
        sockets[2].write('PRI * HT');
        for (const socket of sockets) assert.is(await readAll(socket), '');
        assert.is(counters.get('handshake_timeout'), 3);
        await until(() => counters.get('closed') === 3, 'all are closed');
      },
      { limits },
    );
  });

  test(
    'a connection with a protocol in time stays',
    unstalled(10, () =>
      withServer(
        async ({ tlsPort }) => {
          const session = connectHttp2(`https://${HOST}`, {
            host: '127.0.0.1',
            port: tlsPort,
            servername: HOST,
            rejectUnauthorized: false,
          });
          await once(session, 'connect');
          await sleep(300);
          const request = session.request({ ':path': '/' });
          const [headers] = (await once(request, 'response')) as [Record<string, number>];
          assert.is(headers[':status'], 200);
          session.destroy();
        },
        { limits: { handshakeTimeout: 100 } },
      ),
    ),
  );

  test('connections are limited by address and in total; a released slot is reused', async () => {
    await withServer(
      async ({ clearPort, counters }) => {
        const held = [await dial(clearPort), await dial(clearPort)];
        await until(() => counters.get('accepted_clear') === 2, 'two are taken');
        assert.is(await readAll(await dial(clearPort)), '');
        assert.is(counters.get('refused_address'), 1);
        held[0].destroy();
        await until(() => counters.get('closed') === 1, 'one has gone');
        const next = await dial(clearPort);
        next.write(GET);
        assert.match(await readAll(next), /hello$/);
        held[1].destroy();
      },
      { limits: { maxPerAddress: 2 } },
    );
    await withServer(
      async ({ clearPort, counters }) => {
        const held = await dial(clearPort);
        await until(() => counters.get('accepted_clear') === 1, 'one is taken');
        assert.is(await readAll(await dial(clearPort)), '');
        assert.is(counters.get('refused_total'), 1);
        held.destroy();
      },
      { limits: { maxConnections: 1 } },
    );
    const load = { refusesConnections: true };
    await withServer(
      async ({ clearPort, tlsPort, counters }) => {
        const held = await Promise.all(Array.from({ length: MAX_SURPLUS }, () => dial(clearPort)));
        await until(() => counters.get('accepted_clear') === MAX_SURPLUS, 'as many are accepted for their 503');
        for (const port of [clearPort, tlsPort]) assert.is(await readAll(await dial(port)), '');
        assert.is(counters.get('refused_overload'), 2);
        held[0].destroy();
        await until(() => counters.get('closed') === 1, 'one is closed');
        held[0] = await dial(clearPort);
        await until(() => counters.get('accepted_clear') === MAX_SURPLUS + 1, 'another takes its place');
        load.refusesConnections = false;
        const next = await dial(clearPort);
        next.write(GET);
        assert.match(await readAll(next), /hello$/);
        for (const socket of held) socket.destroy();
      },
      { load },
    );
  });

  test('clients with another protocol, or that disconnect midway, leave nothing behind', async () => {
    await withServer(async ({ tlsPort, counters }) => {
      for (const garbage of [GET, '\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03', '\x16\x03\x01\xff\xff', '']) {
        const socket = await dial(tlsPort);
        socket.end(Buffer.from(garbage, 'latin1'));
        await readAll(socket);
      }
      const reset = await dial(tlsPort);
      reset.write(Buffer.from('\x16\x03\x01\x02\x00', 'latin1'));
      reset.resetAndDestroy();
      const below = await dial(tlsPort);
      await dialTls(tlsPort, { socket: below });
      // Ciphertext that no key opens, below the TLS of the client.
      below.write(Buffer.from('\x17\x03\x03\x00\x20'.padEnd(37, 'x'), 'latin1'));
      await until(
        () => counters.get('closed') === counters.get('accepted_tls') && counters.get('accepted_tls') === 6,
        'all are closed',
      );
      const { status } = await getHttp2(`https://${HOST}`, tlsPort);
      assert.is(status, 200);
    });
  });

  test('a drain ends idle connections, finishes requests, and accepts no new connection', async () => {
    let held: Exchange | undefined;
    const handler = (exchange: Exchange): void => {
      if (exchange.path === '/slow') held = exchange;
      else hello(exchange);
    };
    await withServer(
      async ({ server, tlsPort, clearPort, counters }) => {
        const idle = await dialTls(tlsPort);
        idle.write(GET.replace('close', 'keep-alive'));
        await once(idle, 'data');
        // Connected, and about to ask: that is no idle connection.
        const [fresh, begun] = [await dial(clearPort), await dialTls(tlsPort)];
        const slow = getHttp2(`https://${HOST}`, tlsPort, '/slow');
        await until(() => held !== undefined, 'the request came');
        const drained = server.drain();
        assert.is(await readAll(idle), '');
        assert.is(await handshakeError(dial(clearPort)), 'ECONNREFUSED');
        hello(held as Exchange);
        assert.is((await slow).body, 'hello');
        for (const socket of [fresh, begun]) {
          socket.write(GET.replace('close', 'keep-alive'));
          assert.match(await readAll(socket), /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n[\s\S]*hello$/);
        }
        await drained;
        assert.is(counters.get('drain_cut'), 0);
        assert.is(counters.get('closed'), counters.get('accepted_tls') + counters.get('accepted_clear'));
      },
      { handler },
    );
  });

  test('requests that exceed the drain timeout are cut, and their handlers are notified', async () => {
    const causes: string[] = [];
    const handler = (exchange: Exchange): void => {
      exchange.onAbort((cause) => causes.push(`${exchange.version}${exchange.protocol} ${cause}`));
      if (exchange.protocol !== '') exchange.upgrade([]);
    };
    await withServer(
      async ({ server, tlsPort, clearPort, counters }) => {
        const slow = getHttp2(`https://${HOST}`, tlsPort).then(
          () => 'answered',
          () => 'broken',
        );
        await until(() => counters.get('http2') === 1, 'the session is there');
        const [waiting, tunnel] = [await dialTls(tlsPort), await dial(clearPort)];
        waiting.write(GET);
        tunnel.write(GET.replace('close', 'upgrade\r\nupgrade: websocket'));
        assert.match(String(await once(tunnel, 'data')), /^HTTP\/1\.1 101 /);
        await sleep(50);
        await server.drain();
        assert.is(await slow, 'broken');
        assert.is(await readAll(waiting), '');
        assert.is(counters.get('drain_cut'), 3);
        assert.equal(causes.sort(), ['1.1 drain', '1.1websocket drain', '2 drain']);
      },
      { handler, limits: { drainTimeout: 100 } },
    );
  });

  test.run();
}
