/**
 * Primaries that do not behave: refusals of IXFR with any code, an SOA that expires at once, and
 * serials that go back, next to BIND as a secondary of the same primary.
 */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { until, untilIs, untilMatches } from '../../support/until.ts';
import { ZonePrimary } from '../../support/zone-primary.ts';
import { type Secondary, startSecondary, whyNotSecondary } from './secondaries.ts';
import { dig } from './zone-comparison.ts';

interface Soa {
  readonly serial: number;
  readonly refresh?: number;
  readonly retry?: number;
  readonly expire?: number;
}

function zoneOf(zone: string, { serial, refresh = 3600, retry = 600, expire = 86_400 }: Soa): ResourceRecord[] {
  const apex = parseName(`${zone}.`);
  const numbers = Buffer.alloc(20);
  [serial, refresh, retry, expire, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  const record = (name: Uint8Array, type: number, rdata: Uint8Array): ResourceRecord => ({
    ...{ name, type, ttl: 300, rdata },
  });
  return [
    record(apex, TYPE.SOA, Buffer.concat([parseName('ns.example.'), apex, numbers])),
    record(apex, TYPE.NS, parseName('ns.example.')),
    record(parseName('www', apex), TYPE.A, Uint8Array.of(192, 0, 2, serial)),
  ];
}

const BACK = { refresh: 1, retry: 1, expire: 6 };

const test = suite('primaries that do not behave');
let daemon: Borrowed;
let primary: ZonePrimary;
let bind: { readonly port: number; readonly server: Secondary } | null = null;
const ids = new Map<string, number>();

test.before(async () => {
  primary = await ZonePrimary.start(
    zoneOf('ixfr.test', { serial: 1 }),
    zoneOf('zero.test', { serial: 1, expire: 0 }),
    zoneOf('back.test', { serial: 10, ...BACK }),
  );
  daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  for (const domain of ['ixfr.test', 'zero.test', 'back.test']) {
    const primaries = [{ address: `127.0.0.1:${primary.port}` }];
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain, kind: 'secondary', primaries });
    ids.set(domain, (body.domain as { id: number }).id);
  }
  if (whyNotSecondary('bind') !== null) return;
  const port = await freePort();
  const plan = { port, primaryPort: primary.port, zones: ['zero.test', 'back.test'] };
  bind = { port, server: await startSecondary('bind', plan) };
});
test.after(async () => {
  await bind?.server.stop();
  await daemon.giveBack();
  await primary.close();
});

interface State {
  readonly serial: number | null;
  readonly refreshed_at: string | null;
  readonly expires_at: string | null;
}

async function stateOf(zone: string): Promise<State> {
  const { body } = await daemon.api.call('GET', `/api/v1/domains/${ids.get(zone)}`);
  return (body.domain as unknown as { secondary: State }).secondary;
}

const serialAt = (port: number, zone: string): string => dig(port, '+short', zone, 'SOA').split(' ')[2] ?? '';

test('a primary that answers IXFR with any error is asked for the whole zone', async () => {
  await until(async () => (await stateOf('ixfr.test')).serial === 1, 'the first transfer');
  let serial = 1;
  // FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED, YXDOMAIN, NOTAUTH, NOTZONE and an unknown code.
  for (const code of [1, 2, 3, 4, 5, 6, 9, 10, 11]) {
    serial++;
    primary.ixfrCode = code;
    primary.requested.length = 0;
    primary.replace(zoneOf('ixfr.test', { serial }));
    await daemon.api.call('POST', `/api/v1/domains/${ids.get('ixfr.test')}/transfer`);
    assert.is((await stateOf('ixfr.test')).serial, serial, `code ${code}`);
    assert.ok(primary.requested.includes(TYPE.IXFR), `code ${code}`);
  }
  primary.ixfrCode = 0;
});

test('a zone whose SOA expires at once is served until it could be refreshed and retried, as by BIND', async () => {
  await until(async () => (await stateOf('zero.test')).serial === 1, 'the first transfer');
  const { refreshed_at, expires_at } = await stateOf('zero.test');
  const seconds = (text: string | null): number => Date.parse(`${text?.replace(' ', 'T')}Z`) / 1000;
  assert.is(seconds(expires_at) - seconds(refreshed_at), 4200);
  assert.is(serialAt(daemon.dnsPort, 'zero.test'), '1');
  if (bind !== null) await untilIs(() => serialAt(bind!.port, 'zero.test'), '1');
});

test('a zone whose serial goes back is kept until it expires and follows then, as with BIND', async () => {
  const servers = [daemon.dnsPort, ...(bind === null ? [] : [bind.port])];
  for (const port of servers) await untilIs(() => serialAt(port, 'back.test'), '10');
  primary.replace(zoneOf('back.test', { serial: 5, ...BACK }));
  await untilMatches(() => daemon.output(), /its serial 5 is older than ours, 10/);
  if (bind !== null) await untilMatches(() => bind!.server.output(), /serial number \(5\).* < ours \(10\)/);
  for (const port of servers) await untilIs(() => serialAt(port, 'back.test'), '5');
  await untilMatches(() => daemon.output(), /secondary zone expired.*zone=back\.test/);
  if (bind !== null) await untilMatches(() => bind!.server.output(), /back\.test\/IN: expired/);
});

/** The seconds that dig shows of EXPIRE (RFC 7314); null: none. */
function expireAt(port: number, zone: string, ...more: string[]): number | null {
  const found = /; EXPIRE: (\d+)/.exec(dig(port, '+expire', '+comments', ...more, zone, 'SOA'));
  return found === null ? null : Number(found[1]);
}

test('a zone expires when the copy of its primary does (RFC 7314), and further secondaries get what is left', async () => {
  primary.expire = 100;
  const path = `/api/v1/domains/${ids.get('zero.test')}`;
  primary.replace(zoneOf('zero.test', { serial: 2 }));
  await daemon.api.call('POST', `${path}/transfer`);
  const { serial, refreshed_at, expires_at } = await stateOf('zero.test');
  const seconds = (text: string | null): number => Date.parse(`${text?.replace(' ', 'T')}Z`) / 1000;
  assert.equal([serial, seconds(expires_at) - seconds(refreshed_at)], [2, 100]);
  for (const more of [['+notcp'], ['+tcp']]) {
    const left = expireAt(daemon.dnsPort, 'zero.test', ...more);
    assert.ok(left !== null && left > 0 && left <= 100, `${more} ${left}`);
  }
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'own.test' });
  const [soa] = dig(daemon.dnsPort, '+short', 'own.test', 'SOA').split('\n');
  assert.is(expireAt(daemon.dnsPort, 'own.test'), Number(soa.split(' ')[5]));
  assert.is(expireAt(daemon.dnsPort, 'none.test'), null);
  primary.expire = null;
  if (bind === null) return;
  // BIND answers as we do.
  const theirs = expireAt(bind.port, 'zero.test');
  assert.ok(theirs !== null && theirs <= 86_400);
  assert.ok(body.ok);
});

test('with the setting, a zone follows a serial that goes back at once', async () => {
  const other = await borrowDaemon('nameserver', { WAYPOST_SECONDARY_ACCEPT_OLDER_SERIALS: 'true' });
  await other.api.logIn('admin', ADMIN_PASSWORD);
  primary.replace(zoneOf('ixfr.test', { serial: 40 }));
  const primaries = [{ address: `127.0.0.1:${primary.port}` }];
  const { body } = await other.api.call('POST', '/api/v1/domains', {
    ...{ domain: 'ixfr.test', kind: 'secondary', primaries },
  });
  await untilIs(() => serialAt(other.dnsPort, 'ixfr.test'), '40');
  primary.replace(zoneOf('ixfr.test', { serial: 30 }));
  await other.api.call('POST', `/api/v1/domains/${(body.domain as { id: number }).id}/transfer`);
  assert.is(serialAt(other.dnsPort, 'ixfr.test'), '30');
  assert.is(dig(other.dnsPort, '+short', 'www.ixfr.test', 'A').trim(), '192.0.2.30');
  await other.giveBack();
});

test('requests to primaries and NOTIFY have the configured source address', async () => {
  const other = await borrowDaemon('nameserver', { WAYPOST_TRANSFER_SOURCE: '127.0.0.2' });
  await other.api.logIn('admin', ADMIN_PASSWORD);
  primary.clients.clear();
  primary.replace(zoneOf('ixfr.test', { serial: 50 }));
  const secondary = createSocket('udp4');
  secondary.bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  const notice = once(secondary, 'message') as Promise<[Buffer, RemoteInfo]>;
  const primaries = [{ address: `127.0.0.1:${primary.port}` }];
  const { body } = await other.api.call('POST', '/api/v1/domains', {
    ...{ domain: 'source.test', kind: 'primary' },
  });
  await other.api.call('PUT', `/api/v1/domains/${(body.domain as { id: number }).id}/distribution`, {
    also_notify: [`127.0.0.1:${secondary.address().port}`],
  });
  await other.api.call('POST', `/api/v1/domains/${(body.domain as { id: number }).id}/records`, {
    ...{ name: 'www', type: 'A', content: '192.0.2.1' },
  });
  assert.is((await notice)[1].address, '127.0.0.2');
  secondary.close();
  const made = await other.api.call('POST', '/api/v1/domains', { domain: 'ixfr.test', kind: 'secondary', primaries });
  await untilIs(() => serialAt(other.dnsPort, 'ixfr.test'), '50');
  primary.clients.clear();
  primary.replace(zoneOf('ixfr.test', { serial: 51 }));
  await other.api.call('POST', `/api/v1/domains/${(made.body.domain as { id: number }).id}/transfer`);
  await untilIs(() => serialAt(other.dnsPort, 'ixfr.test'), '51');
  assert.ok(primary.clients.has('127.0.0.2'));
  await other.giveBack();
});

test.run();
