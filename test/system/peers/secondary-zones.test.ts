/**
 * Secondary zones of Knot DNS, BIND, NSD and PowerDNS: transfers, NOTIFY, TSIG, TLS, primaries that
 * are killed, connections that are cut, and expiry.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiResponse, Json } from '../../support/api-client.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { untilIs, untilPasses } from '../../support/until.ts';
import { FILES, type Line, type PrimaryName, TestPrimary } from './primaries.ts';
import { dig, provenAt, zoneAt } from './zone-comparison.ts';

const NAMES: readonly PrimaryName[] = ['knot', 'bind', 'nsd', 'powerdns'];
const EXPIRING = { refresh: 1, retry: 1, expire: 4 };

const test = suite('secondary zones');
let daemon: Daemon;
const primaries = {} as Record<PrimaryName, TestPrimary>;
const signed: TestPrimary[] = [];
const domainIds = new Map<string, number>();
const servers: Server[] = [];

const answerOf = (name: string, type = 'A'): string => dig(daemon.dnsPort, '+short', name, type).trim();
const statusOf = (name: string): string =>
  /status: (\w+)/.exec(dig(daemon.dnsPort, '+comments', name, 'SOA'))?.[1] ?? 'none';

interface State {
  readonly state: string;
  readonly serial: number | null;
  readonly error: string | null;
}

async function stateOf(zone: string): Promise<State> {
  return secondaryOf(await daemon.api.call('GET', `/api/v1/domains/${domainIds.get(zone)}`));
}

const secondaryOf = ({ body }: ApiResponse): State => (body.domain as unknown as { secondary: State }).secondary;

async function addZone(domain: string, list: Json[]): Promise<void> {
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain, kind: 'secondary', primaries: list });
  domainIds.set(domain, (body.domain as { id: number }).id);
}

const www = (address: string): Line[] => [
  ['www', 'A', address],
  ['*', 'TXT', '"any"'],
  ['mail', 'MX', '10 www.example.org.'],
];

test.before(async () => {
  daemon = await startDaemon({
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32',
    WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true',
    WAYPOST_SECONDARY_MIN_REFRESH: '1',
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  for (const server of servers) server.close();
  for (const primary of [...Object.values(primaries), ...signed]) await primary.close();
  await daemon.close();
});

/** A serial of 0 is one as others; PowerDNS computes another for it. */
const firstOf = (name: PrimaryName): number => (name === 'powerdns' ? 1 : 0);

test('zones are transferred, and follow each NOTIFY', async () => {
  const { body: created } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: 'transfer.test' });
  const key = { name: 'transfer.test', secret: String(created.secret) };
  await Promise.all(
    NAMES.map(async (name) => {
      const zone = `${name}.test`;
      const options = { zone, secondary: daemon.dnsPort, ...(name === 'bind' && { key }) };
      const primary = await TestPrimary.open(name, options);
      primaries[name] = primary;
      primary.write(firstOf(name), www('192.0.2.1'));
      await primary.start();
      const tsig_key_id = name === 'bind' ? Number(created.id) : null;
      await addZone(zone, [{ address: `127.0.0.1:${primary.port}`, tsig_key_id }]);
    }),
  );
  for (const name of NAMES) {
    await untilIs(() => answerOf(`www.${name}.test`), '192.0.2.1');
    assert.is((await stateOf(`${name}.test`)).serial, firstOf(name));
  }
  assert.equal(zoneAt(daemon.dnsPort, 'nsd.test'), zoneAt(primaries.nsd.port, 'nsd.test'));
  const list = [{ address: `127.0.0.1:${primaries.nsd.port}` }];
  await daemon.api.call('PUT', `/api/v1/domains/${domainIds.get('nsd.test')}/primaries`, { primaries: list });
  assert.is(answerOf('www.nsd.test'), '192.0.2.1');
  for (const serial of [2, 3]) {
    const address = `192.0.2.${serial}`;
    for (const name of NAMES) primaries[name].write(serial, [...www(address), [`new${serial}`, 'AAAA', '2001:db8::1']]);
    for (const name of NAMES) await untilIs(() => answerOf(`www.${name}.test`), address);
  }
  for (const name of NAMES) {
    const zone = `${name}.test`;
    const signature = name === 'bind' ? ['-y', `hmac-sha256:${key.name}:${key.secret}`] : [];
    assert.equal(zoneAt(daemon.dnsPort, zone), zoneAt(primaries[name].port, zone, ...signature), name);
    assert.is(answerOf(`absent.${zone}`, 'TXT'), '"any"');
    const { body } = await daemon.api.call('GET', `/api/v1/domains/${domainIds.get(zone)}`);
    assert.equal((body.domain as unknown as { nameservers: string[] }).nameservers, [`ns1.${zone}`]);
    assert.equal(await stateOf(zone).then(({ state, serial, error }) => [state, serial, error]), ['current', 3, null]);
  }
});

test('signed zones are answered as their primary does, with its proofs', async () => {
  for (const signing of ['nsec', 'nsec3'] as const) {
    const zone = `${signing}.test`;
    const primary = await TestPrimary.open('knot', { zone, secondary: daemon.dnsPort, signing });
    signed.push(primary);
    primary.write(1, www('192.0.2.1'));
    await primary.start();
    await addZone(zone, [{ address: `127.0.0.1:${primary.port}` }]);
    await untilIs(() => answerOf(`www.${zone}`), '192.0.2.1');
    const isSame = (): void => {
      assert.equal(zoneAt(daemon.dnsPort, zone), zoneAt(primary.port, zone));
      for (const [name, type] of [
        [zone, 'SOA'],
        [zone, 'DNSKEY'],
        [`www.${zone}`, 'A'],
        [`www.${zone}`, 'AAAA'],
        [`x.www.${zone}`, 'A'],
        [`any.${zone}`, 'TXT'],
      ])
        assert.equal(provenAt(daemon.dnsPort, name, type), provenAt(primary.port, name, type), `${name} ${type}`);
    };
    await untilPasses(isSame);
    primary.write(10, [...www('192.0.2.2'), ['new', 'A', '192.0.2.3']]);
    await untilIs(() => answerOf(`www.${zone}`), '192.0.2.2');
    await untilPasses(isSame);
  }
});

test('records are read-only', async () => {
  const path = `/api/v1/domains/${domainIds.get('knot.test')}/records`;
  const refused = await daemon.api.request('POST', path, { name: 'x', type: 'A', content: '192.0.2.1' });
  assert.is(refused.status, 409);
});

/** Forwards connections to a port, and cuts the response after a number of bytes. */
async function cuttingProxy(port: number, limit: () => number): Promise<number> {
  const server = createServer((client: Socket) => {
    const upstream = connect(port, '127.0.0.1');
    let left = limit();
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, Math.max(0, left)));
      left -= chunk.length;
      if (left <= 0) {
        client.destroy();
        upstream.destroy();
      }
    });
    upstream.on('end', () => client.end());
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

test('a transfer that is cut off changes nothing, and the next primary is asked', async () => {
  const { knot } = primaries;
  const many = Array.from({ length: 3000 }, (_, i): Line => [`host${i}`, 'A', `10.0.${i >> 8}.${i & 255}`]);
  let limit = 100;
  const port = await cuttingProxy(knot.port, () => limit);
  knot.write(10, [...www('192.0.2.10'), ...many]);
  await untilIs(() => answerOf('host2999.knot.test'), '10.0.11.183');
  const path = `/api/v1/domains/${domainIds.get('knot.test')}`;
  const cut = { address: `127.0.0.1:${port}` };
  await daemon.api.call('PUT', `${path}/primaries`, { primaries: [cut] });
  for (const bytes of [1, 2, 50, 1000, 20_000, 40_000]) {
    limit = bytes;
    const { error, serial } = secondaryOf(await daemon.api.call('POST', `${path}/transfer?force=true`));
    assert.match(error ?? '', /closed the connection|connection failed/);
    assert.is(serial, 10);
    assert.is(answerOf('host2999.knot.test'), '10.0.11.183');
  }
  await daemon.api.call('PUT', `${path}/primaries`, { primaries: [cut, { address: `127.0.0.1:${knot.port}` }] });
  assert.is(secondaryOf(await daemon.api.call('POST', `${path}/transfer?force=true`)).error, null);
  assert.equal(zoneAt(daemon.dnsPort, 'knot.test'), zoneAt(knot.port, 'knot.test'));
});

test('transfers over TLS check the pin of the primary', async () => {
  const key = ecKey();
  const cert = certificate({ name: 'primary.test', dnsNames: ['primary.test'], key });
  const server = createTlsServer({ key: pemOfKey(key), cert, ALPNProtocols: ['dot'] }, (client) => {
    const upstream = connect(primaries.nsd.port, '127.0.0.1');
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  const pin = createHash('sha256').update(spki).digest('base64');
  const path = `/api/v1/domains/${domainIds.get('nsd.test')}`;
  const transfer = async (tls: Json): Promise<string | null> => {
    await daemon.api.call('PUT', `${path}/primaries`, { primaries: [{ address: `127.0.0.1:${port}`, tls }] });
    return secondaryOf(await daemon.api.call('POST', `${path}/transfer?force=true`)).error;
  };
  assert.is(await transfer({ pin }), null);
  assert.is(await transfer({ opportunistic: true }), null);
  assert.match(String(await transfer({ pin: `${'A'.repeat(43)}=` })), /does not match the pin/);
  assert.match(String(await transfer({ name: 'primary.test' })), /self-signed|connection failed/);
});

test('a zone expires when its primary is gone, also over a restart, and recovers', async () => {
  const { powerdns } = primaries;
  const zone = 'powerdns.test';
  powerdns.write(20, www('192.0.2.20'), EXPIRING);
  await untilIs(() => answerOf(`www.${zone}`), '192.0.2.20');
  await powerdns.kill();
  await untilIs(() => statusOf(zone), 'SERVFAIL');
  assert.is((await stateOf(zone)).state, 'expired');
  assert.match(dig(daemon.dnsPort, '+answer', zone, 'AXFR'), /failed/i);
  await daemon.stop();
  await daemon.start();
  assert.is(statusOf(zone), 'SERVFAIL');
  assert.is(statusOf('knot.test'), 'NOERROR');
  await powerdns.start();
  await untilIs(() => statusOf(zone), 'NOERROR');
  assert.is(answerOf(`www.${zone}`), '192.0.2.20');
});

const missing = FILES.filter((file) => !existsSync(file));
if (missing.length === 0) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${missing.join(', ')} are missing.`);
else console.log(`skipped: secondary zones, ${missing.join(', ')} are missing`);
