/** What a site asks of its connections: their number, TLS 1.3, certificates of clients. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Handler } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import type { ConnectionGate } from '../../../../edge/http/server/application.ts';
import { clientCertField, type TlsPolicy } from '../../../../edge/http/tls/certificate.ts';
import { flushLater, HANDSHAKE_COST, type TurnShare } from '../../../../edge/http/transport/flusher.ts';
import { certificate, ecKey, type KeyPair, pemOfKey } from '../../../support/certificate.ts';
import { until } from '../../../support/until.ts';
import { dialTls, GET, HOST, OTHER_HOST, type RigOptions, readAll, withServer } from './rig.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const rootKey = ecKey();
const root = { name: 'root', key: rootKey };
const rootPem = certificate({ ...root, ca: true });
const middle = { name: 'middle', key: ecKey() };
const middlePem = certificate({ ...middle, issuer: root, ca: true });
const clientKey = ecKey();

interface Identity {
  readonly cert: string;
  readonly key: string;
}
const identity = (cert: string, key: KeyPair = clientKey): Identity => ({ cert, key: pemOfKey(key) });
const visitor = { name: 'visitor', key: clientKey, usage: [CLIENT_AUTH] };
const good = identity(certificate({ ...visitor, issuer: root }));
const below = identity(certificate({ ...visitor, issuer: middle }));
const expired = identity(certificate({ ...visitor, issuer: root, from: -10, to: -1 }));
const forServers = identity(certificate({ ...visitor, usage: ['1.3.6.1.5.5.7.3.1'], issuer: root }));
const stranger = identity(certificate({ ...visitor, issuer: { name: 'root', key: ecKey() } }));

const policyOf = (clients: TlsPolicy['clients'], requiresTls13 = false, fingerprint = 'a'): TlsPolicy => ({
  ...{ fingerprint, requiresTls13, clients },
});
const required = policyOf({ isRequired: true, authorities: rootPem });

/** Counts the connections of `site.test`; another name has no gate. */
class Gate implements ConnectionGate {
  readonly site = '1';
  readonly http1 = null;
  readonly http2 = null;
  readonly isPressed = false;
  open = 0;
  left = 0;
  constructor(
    readonly policy: TlsPolicy | null,
    readonly most = 100,
    readonly share: TurnShare | null = null,
  ) {}
  enter(): boolean {
    if (this.open >= this.most) return false;
    this.open++;
    return true;
  }
  leave(): void {
    this.open--;
    this.left++;
  }
}

async function passTurns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

const tellClient: Handler = (exchange) => {
  const { certificate: shown = '', tlsPolicy = '' } = exchange.client;
  exchange.answer(new ReadyAnswer(200, ['x-policy', tlsPolicy], Buffer.from(`<${shown}>`)));
};

/** The status line, fields and body; or the error, which TLS 1.3 reports after the handshake. */
async function visit(port: number, options: ConnectionOptions = {}): Promise<string> {
  let socket: TLSSocket;
  try {
    socket = await dialTls(port, options);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
  const failed = once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code ?? String(error));
  socket.write(GET.replace(HOST, options.servername ?? HOST));
  const text = await Promise.race([readAll(socket), failed]);
  return text === '' ? Promise.race([failed, 'closed']) : text;
}

for (const tls of ['auto', 'node'] as const) {
  const test = suite(`gates of connections, tls: ${tls}`);
  const withGate = (gate: Gate, use: Parameters<typeof withServer>[0], options: RigOptions = {}): Promise<void> =>
    withServer(use, { tls, handler: tellClient, gateFor: (name) => (name === HOST ? gate : null), ...options });

  test('a site that requires TLS 1.3 answers TLS 1.2 with protocol_version; others are served as before', async () => {
    await withGate(new Gate(policyOf(null, true)), async ({ tlsPort }) => {
      assert.match(await visit(tlsPort, { maxVersion: 'TLSv1.2' }), /PROTOCOL_VERSION/);
      assert.match(await visit(tlsPort), /^HTTP\/1\.1 200 [\s\S]*x-policy: a\r\n/);
      const other = { servername: OTHER_HOST, maxVersion: 'TLSv1.2' } as const;
      assert.match(await visit(tlsPort, other), /^HTTP\/1\.1 200 [\s\S]*x-policy: \r\n/);
    });
  });

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    test(`${maxVersion}: a required certificate is verified and passed on; without it, or with another, the handshake fails`, async () => {
      await withGate(new Gate(required), async ({ tlsPort }) => {
        const field = clientCertField(new X509Certificate(good.cert).raw);
        assert.ok((await visit(tlsPort, { ...good, maxVersion })).endsWith(`<${field}>`));
        for (const options of [{}, stranger, expired, forServers, below])
          assert.not.match(await visit(tlsPort, { ...options, maxVersion }), /HTTP/);
        assert.match(await visit(tlsPort, { ...good, maxVersion, servername: OTHER_HOST }), /<>$/);
      });
    });

  test('an optional certificate may be missing, not wrong', async () => {
    const optional = policyOf({ isRequired: false, authorities: rootPem });
    await withGate(new Gate(optional), async ({ tlsPort }) => {
      assert.match(await visit(tlsPort), /<>$/);
      assert.match(await visit(tlsPort, good), /<:[A-Za-z0-9+/=]+:>$/);
      assert.not.match(await visit(tlsPort, stranger), /HTTP/);
    });
  });

  test('an intermediate certificate of the list is an anchor; a client may send it for a root', async () => {
    const onMiddle = policyOf({
      isRequired: true,
      authorities: `${middlePem}\n${certificate({ name: 'x', key: rootKey, ca: true })}`,
    });
    await withGate(new Gate(onMiddle), async ({ tlsPort }) => {
      assert.match(await visit(tlsPort, below), /<:.+:>$/);
      assert.not.match(await visit(tlsPort, good), /HTTP/);
    });
    await withGate(new Gate(required), async ({ tlsPort }) => {
      assert.match(await visit(tlsPort, { ...below, cert: below.cert + middlePem }), /<:.+:>$/);
    });
  });

  test('a connection beyond the share of its site is closed at its ClientHello; each that entered leaves', async () => {
    const gate = new Gate(null, 1);
    await withGate(gate, async ({ tlsPort, counters }) => {
      const first = await dialTls(tlsPort);
      assert.is(gate.open, 1);
      assert.not.match(await visit(tlsPort), /HTTP/);
      assert.is(counters.get('refused_site'), 1);
      assert.match(await visit(tlsPort, { servername: OTHER_HOST }), /200/);
      first.destroy();
      await until(() => gate.open === 0, 'it has left');
      assert.match(await visit(tlsPort), /200/);
      await until(() => gate.left === 2, 'both have left');
    });
  });

  test('a handshake waits for a turn of its site; a client that leaves meanwhile is forgotten', async () => {
    const share = {
      isSpent: true,
      cost: 0,
      spend(cost: number) {
        this.cost += cost;
      },
      flushLater,
    };
    const gate = new Gate(null, 2, share);
    await withGate(gate, async ({ tlsPort, counters }) => {
      const first = visit(tlsPort);
      await until(() => gate.open === 1, 'its ClientHello has come');
      await passTurns(5);
      assert.is(share.cost, 0);
      share.isSpent = false;
      assert.match(await first, /200/);
      assert.ok(share.cost >= HANDSHAKE_COST);
      await until(() => gate.left === 1, 'the first has left');
      share.isSpent = true;
      const leaving = connect({ host: '127.0.0.1', port: tlsPort, servername: HOST, rejectUnauthorized: false });
      leaving.on('error', () => {});
      await until(() => gate.open === 1, 'its ClientHello has come');
      leaving.destroy();
      await passTurns(5);
      share.isSpent = false;
      await until(() => gate.left === 2, 'both have left');
      assert.is(counters.get('closed'), 2);
    });
  });
  test.run();
}

const test = suite('sessions under a policy');

const sessionOf = async (port: number, options: ConnectionOptions): Promise<Buffer | undefined> => {
  const socket = await dialTls(port, options);
  let session: Buffer | undefined;
  socket.on('session', (given) => {
    session = given;
  });
  socket.write(GET);
  await readAll(socket);
  return session ?? socket.getSession();
};

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`${maxVersion}: a session from before the site asked for a certificate does not skip it`, async () => {
    const gate = new Gate(null);
    let demanded: TlsPolicy | null = null;
    const current = (): ConnectionGate => ({
      site: '1',
      policy: demanded,
      http1: null,
      http2: null,
      isPressed: false,
      share: null,
      enter: () => gate.enter(),
      leave: () => gate.leave(),
    });
    await withServer(
      async ({ tlsPort, counters }) => {
        const session = await sessionOf(tlsPort, { maxVersion });
        assert.match(await visit(tlsPort, { maxVersion, session }), /<>$/);
        assert.is(counters.get('handshakes_resumed'), 1);
        demanded = required;
        assert.not.match(await visit(tlsPort, { maxVersion, session }), /HTTP/);
        // A session of a client with a certificate is not resumed: each handshake verifies again.
        const withCertificate = await sessionOf(tlsPort, { ...good, maxVersion });
        assert.not.match(await visit(tlsPort, { maxVersion, session: withCertificate }), /HTTP/);
        // Neither is one of another policy.
        demanded = policyOf(null, false, 'b');
        const ofPolicy = await sessionOf(tlsPort, { maxVersion });
        assert.match(await visit(tlsPort, { maxVersion, session: ofPolicy }), /x-policy: b/);
        assert.is(counters.get('handshakes_resumed'), 2);
        demanded = policyOf(null, false, 'c');
        assert.match(await visit(tlsPort, { maxVersion, session: ofPolicy }), /x-policy: c/);
        assert.is(counters.get('handshakes_resumed'), 2);
      },
      { handler: tellClient, gateFor: current },
    );
  });

test.run();
