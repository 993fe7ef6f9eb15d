/**
 * What clients send that cannot be installed here, message for message as their sources make it:
 * external-dns, cert-manager and Caddy (libdns), which write by Go's miekg/dns, and octoDNS's
 * provider, which is dnspython and is driven as dnspython.
 *
 * miekg/dns: no compression in updates (SetUpdate), no EDNS, a TSIG record with a fudge of 300 s
 * and lower-case names. Insert: the record with the zone's class; Remove: class NONE, TTL 0, with
 * rdata; RemoveRRset: class ANY, TTL 0, no rdata.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { isSignedResponse, signRequest, type TsigKey } from '../../../core/dns/wire/tsig.ts';
import { startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { add, deleteOne, deleteSet, encodeUpdate, type Section } from '../../support/update-message.ts';
import { recordsOf, server } from './transcript.ts';

const PYTHON = '/usr/bin/python3';
const DNSPYTHON = '/usr/lib/python3/dist-packages/dns';
const NAME = 'shapes';

interface Context {
  daemon: Borrowed;
  key: TsigKey;
  secret: string;
}

const test = suite<Context>('shapes of updates');
test.before(async (context) => {
  const daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: NAME });
  const secret = String(body.secret);
  const key: TsigKey = {
    name: parseName(`${NAME}.`),
    algorithm: 'hmac-sha256',
    secret: Buffer.from(secret, 'base64'),
  };
  Object.assign(context, { daemon, key, secret });
});
test.after(({ daemon }) => daemon.giveBack());

/**
 * Sends an update as miekg/dns's client does, over TCP when it is long (external-dns) or is to be;
 * its response code, the response's signature verified.
 */
async function exchange(
  { daemon, key }: Context,
  zone: string,
  updates: readonly Section[],
  net: 'udp' | 'tcp' = 'udp',
): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const message = encodeUpdate({ zone: parseName(`${zone}.`), updates, id: randomBytes(2).readUInt16BE() });
  const request = signRequest(message, key, now);
  let response: Uint8Array | null;
  if (net === 'tcp' || request.message.length > 512) {
    [response] = await queryTcp(daemon.dnsPort, [request.message], PATIENCE_MS);
  } else {
    const client = await UdpClient.connect(daemon.dnsPort);
    response = await client.query(request.message, PATIENCE_MS, 1);
    client.close();
  }
  assert.ok(response !== null && isSignedResponse(response, key, request.mac, now), 'a signed response');
  return response[3] & 15;
}

/**
 * What external-dns would list: a signed AXFR, each message of which dig verifies. Without SOA and
 * NS of the apex; `@` is the apex.
 */
async function listed({ daemon, secret }: Context, zone: string): Promise<string[]> {
  const args = [...server('dig', daemon.dnsPort), '-y', `hmac-sha256:${NAME}:${secret}`, zone, 'AXFR'];
  const { output } = await runProgram('dig', args);
  assert.match(output, 'XFR size', output);
  assert.not.match(output, 'could not be validated');
  return recordsOf(output)
    .filter(({ name, type }) => !(name === `${zone}.` && (type === 'SOA' || type === 'NS')))
    .map(({ name, ttl, type, data }) =>
      `${name} ${ttl} ${type} ${data}`.replaceAll(`.${zone}.`, '').replace(`${zone}. `, '@ '),
    )
    .sort();
}

/** external-dns's record of who owns a name. */
const HERITAGE = '"heritage=external-dns,external-dns/owner=default,external-dns/resource=service/default/web"';

test('external-dns: creates a batch, updates by removing and adding, deletes; minimal TTL 0', async (context) => {
  const zone = 'external-dns.example.net';
  await context.daemon.api.createDomain(zone);
  // ApplyChanges: all of Create in one message. Without a minimal TTL of its own it sends 0.
  const web = ['192.0.2.1', '192.0.2.2'];
  const create = [
    ...web.map((address) => add(`web.${zone}.`, 0, 'A', address)),
    add(`web.${zone}.`, 0, 'AAAA', '2001:db8::1'),
    add(`*.apps.${zone}.`, 300, 'CNAME', `web.${zone}.`),
    add(`sub.${zone}.`, 300, 'NS', 'ns1.elsewhere.example.'),
    add(`a-web.${zone}.`, 0, 'TXT', HERITAGE),
    add(`aaaa-web.${zone}.`, 0, 'TXT', HERITAGE),
    add(`cname-wildcard.apps.${zone}.`, 300, 'TXT', HERITAGE),
  ];
  assert.is(await exchange(context, zone, create), 0);
  assert.equal(await listed(context, zone), [
    '*.apps 300 CNAME web',
    `a-web 30 TXT ${HERITAGE}`,
    `aaaa-web 30 TXT ${HERITAGE}`,
    `cname-wildcard.apps 300 TXT ${HERITAGE}`,
    'sub 300 NS ns1.elsewhere.example.',
    'web 30 A 192.0.2.1',
    'web 30 A 192.0.2.2',
    'web 30 AAAA 2001:db8::1',
  ]);
  // UpdateRecord: Remove of each old target, Insert of each new one; the record of the owner goes
  // and comes unchanged.
  const update = [
    ...web.map((address) => deleteOne(`web.${zone}.`, 'A', address)),
    ...['192.0.2.2', '192.0.2.3'].map((address) => add(`web.${zone}.`, 0, 'A', address)),
    deleteOne(`a-web.${zone}.`, 'TXT', HERITAGE),
    add(`a-web.${zone}.`, 0, 'TXT', HERITAGE),
  ];
  assert.is(await exchange(context, zone, update), 0);
  assert.equal((await listed(context, zone)).slice(-3), [
    'web 30 A 192.0.2.2',
    'web 30 A 192.0.2.3',
    'web 30 AAAA 2001:db8::1',
  ]);
  // RemoveRecord: each target by itself, some of which are gone already.
  const remove = [
    ...[...web, '192.0.2.3'].map((address) => deleteOne(`web.${zone}.`, 'A', address)),
    deleteOne(`web.${zone}.`, 'AAAA', '2001:db8::1'),
    deleteOne(`*.apps.${zone}.`, 'CNAME', `web.${zone}.`),
    deleteOne(`sub.${zone}.`, 'NS', 'ns1.elsewhere.example.'),
    ...['a-web', 'aaaa-web', 'cname-wildcard.apps'].map((owner) => deleteOne(`${owner}.${zone}.`, 'TXT', HERITAGE)),
  ];
  assert.is(await exchange(context, zone, remove), 0);
  assert.equal(await listed(context, zone), []);
});

test('external-dns: an address becomes an alias and back in one message', async (context) => {
  const zone = 'turns.example.net';
  await context.daemon.api.createDomain(zone);
  const address = ['www', 'A', '192.0.2.1'] as const;
  const alias = ['www', 'CNAME', 'lb.elsewhere.example.'] as const;
  const turn = (from: readonly [string, string, string], to: readonly [string, string, string]): Section[] => [
    deleteOne(`${from[0]}.${zone}.`, from[1], from[2]),
    add(`${to[0]}.${zone}.`, 60, to[1], to[2]),
  ];
  assert.is(await exchange(context, zone, [add(`www.${zone}.`, 60, 'A', '192.0.2.1')]), 0);
  assert.is(await exchange(context, zone, turn(address, alias)), 0);
  assert.equal(await listed(context, zone), ['www 60 CNAME lb.elsewhere.example.']);
  // Create goes before Delete: what cannot be next to the alias is passed over (RFC 2136 3.4.2.2),
  // and comes with the next look.
  assert.is(await exchange(context, zone, [add(`www.${zone}.`, 60, 'TXT', '"beside"')]), 0);
  assert.equal(await listed(context, zone), ['www 60 CNAME lb.elsewhere.example.']);
  assert.is(await exchange(context, zone, turn(alias, address)), 0);
  assert.equal(await listed(context, zone), ['www 60 A 192.0.2.1']);
});

test('external-dns: a batch that is too long for UDP', async (context) => {
  const zone = 'batch.example.net';
  await context.daemon.api.createDomain(zone);
  // --rfc2136-batch-change-size is 50; each with its owner.
  const updates = Array.from({ length: 50 }, (_, i) => [
    add(`host${i}.${zone}.`, 60, 'A', `192.0.2.${i}`),
    add(`a-host${i}.${zone}.`, 60, 'TXT', HERITAGE),
  ]).flat();
  assert.is(await exchange(context, zone, updates), 0);
  assert.is((await listed(context, zone)).length, 100);
});

for (const net of ['udp', 'tcp'] as const)
  test(`cert-manager over ${net}: Present and CleanUp, two challenges at one name`, async (context) => {
    const zone = `cert-manager-${net}.example.net`;
    await context.daemon.api.createDomain(zone);
    const fqdn = `_acme-challenge.${zone}.`;
    const run = (...updates: Section[]) => exchange(context, zone, updates, net);
    assert.is(await run(add(fqdn, 60, 'TXT', '"one"')), 0);
    assert.is(await run(add(fqdn, 60, 'TXT', '"two"')), 0);
    // It is retried until it is there: the same again.
    assert.is(await run(add(fqdn, 60, 'TXT', '"two"')), 0);
    assert.equal(await listed(context, zone), ['_acme-challenge 60 TXT "one"', '_acme-challenge 60 TXT "two"']);
    assert.is(await run(deleteOne(fqdn, 'TXT', '"one"')), 0);
    assert.is(await run(deleteOne(fqdn, 'TXT', '"one"')), 0);
    assert.equal(await listed(context, zone), ['_acme-challenge 60 TXT "two"']);
    assert.is(await run(deleteOne(fqdn, 'TXT', '"two"')), 0);
    assert.equal(await listed(context, zone), []);
  });

test('libdns and lego: a set is replaced by RemoveRRset and Insert', async (context) => {
  const zone = 'replaced.example.net';
  await context.daemon.api.createDomain(zone);
  const set = (...addresses: string[]): Section[] => [
    deleteSet(`www.${zone}.`, 'A'),
    ...addresses.map((address) => add(`www.${zone}.`, 120, 'A', address)),
  ];
  assert.is(await exchange(context, zone, set('192.0.2.1')), 0);
  assert.is(await exchange(context, zone, set('192.0.2.2', '192.0.2.3')), 0);
  assert.equal(await listed(context, zone), ['www 120 A 192.0.2.2', 'www 120 A 192.0.2.3']);
  assert.is(await exchange(context, zone, set()), 0);
  assert.equal(await listed(context, zone), []);
});

/**
 * As AxfrPopulate.zone_records reads a zone and Rfc2136Provider._apply writes it: whole names,
 * rdata as text, over TCP.
 */
const OCTODNS = `
import sys
import dns.query, dns.rcode, dns.rdatatype, dns.tsigkeyring, dns.zone
from dns.update import Update
port, name, secret, zone = int(sys.argv[1]), *sys.argv[2:]
auth = {'keyring': dns.tsigkeyring.from_text({name: secret}), 'keyalgorithm': 'hmac-sha256'}

def records():
    z = dns.zone.from_xfr(
        dns.query.xfr('127.0.0.1', zone, port=port, timeout=15.0, lifetime=15.0, relativize=False, **auth), relativize=False)
    return sorted(f'{n} {ttl} {dns.rdatatype.to_text(r.rdtype)} {r.to_text()}' for n, ttl, r in z.iterate_rdatas()
                  if dns.rdatatype.to_text(r.rdtype) != 'SOA')

def apply(changes):
    update = Update(zone, **auth)
    for how, owner, ttl, kind, *rdatas in changes:
        if how == 'create': update.add(owner, ttl, kind, *rdatas)
        elif how == 'update': update.replace(owner, ttl, kind, *rdatas)
        else: update.delete(owner, kind, *rdatas)
    r = dns.query.tcp(update, '127.0.0.1', port=port, timeout=15.0)
    assert r.had_tsig and r.rcode() == dns.rcode.NOERROR, r

apply([
    ('create', zone, 300, 'MX', '10 mail.' + zone, '20 mail2.' + zone),
    ('create', 'www.' + zone, 300, 'A', '192.0.2.1', '192.0.2.2'),
    ('create', 'www.' + zone, 300, 'AAAA', '2001:db8::1'),
    ('create', '*.' + zone, 60, 'CNAME', 'www.' + zone),
    ('create', '_sip._tcp.' + zone, 60, 'SRV', '1 2 5060 www.' + zone),
    ('create', zone, 60, 'CAA', '0 issue "ca.example"'),
    ('create', 'loc.' + zone, 60, 'LOC', '31 58 52.100 S 115 49 11.700 E 20.00m 10.00m 10.00m 2.00m'),
    ('create', 'ssh.' + zone, 60, 'SSHFP', '1 1 bf29468c83ac58ccf8c85ab7b3bebb054ecf1e38'),
    ('create', '_443._tcp.' + zone, 60, 'TLSA', '1 0 1 ' + 'ab' * 32),
    ('create', 'txt.' + zone, 60, 'TXT', '"v=spf1 -all"', '"with; semicolon"'),
])
print('\\n'.join(records()), end='\\n--\\n')
# The root NS are among what it supports: as they are they may be written.
roots = [r.split(' ', 3)[3] for r in records() if r.startswith(zone + ' ') and ' NS ' in r]
apply([
    ('update', zone, 86400, 'NS', *roots),
    ('update', 'www.' + zone, 60, 'A', '192.0.2.2', '192.0.2.3'),
    ('update', 'txt.' + zone, 60, 'TXT', '"other"'),
    ('delete', 'www.' + zone, 300, 'AAAA', '2001:db8::1'),
    ('delete', 'loc.' + zone, 60, 'LOC', '31 58 52.100 S 115 49 11.700 E 20.00m 10.00m 10.00m 2.00m'),
    ('delete', zone, 300, 'MX', '10 mail.' + zone, '20 mail2.' + zone),
])
print('\\n'.join(records()))
`;

test('octoDNS: reads the zone by AXFR and writes it by one update, with the types that it supports', async ({
  daemon,
  secret,
}) => {
  const zone = 'octodns.example.net.';
  await daemon.api.createDomain(zone.slice(0, -1));
  const child = startChild(PYTHON, ['-c', OCTODNS, String(daemon.dnsPort), NAME, secret, zone]);
  assert.is(await child.ended(), 0, child.output());
  const [created, updated] = child
    .output()
    .trim()
    .split('\n--\n')
    .map((part) => part.split('\n').map((line) => line.replaceAll(`.${zone}`, '').replaceAll(zone, '@')));
  const nameservers = [1, 2, 3, 4].map((i) => `@ 86400 NS ns${i}.waypost.test.`);
  assert.equal(
    created.toSorted(),
    [
      ...nameservers,
      '* 60 CNAME www',
      '@ 300 MX 10 mail',
      '@ 300 MX 20 mail2',
      '@ 60 CAA 0 issue "ca.example"',
      `_443._tcp 60 TLSA 1 0 1 ${'ab'.repeat(32)}`,
      '_sip._tcp 60 SRV 1 2 5060 www',
      'loc 60 LOC 31 58 52.100 S 115 49 11.700 E 20.00m 10.00m 10.00m 2.00m',
      'ssh 60 SSHFP 1 1 bf29468c83ac58ccf8c85ab7b3bebb054ecf1e38',
      'txt 60 TXT "v=spf1 -all"',
      'txt 60 TXT "with; semicolon"',
      'www 300 A 192.0.2.1',
      'www 300 A 192.0.2.2',
      'www 300 AAAA 2001:db8::1',
    ].sort(),
  );
  assert.equal(
    updated.filter((line) => /^(@|www|txt|loc) /.test(line)).sort(),
    [
      ...nameservers,
      '@ 60 CAA 0 issue "ca.example"',
      'txt 60 TXT "other"',
      'www 60 A 192.0.2.2',
      'www 60 A 192.0.2.3',
    ].sort(),
  );
});

const why =
  whyNotPrograms('dig') ?? (existsSync(PYTHON) && existsSync(DNSPYTHON) ? null : 'dnspython is not installed');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: shapes of updates, ${why}`);
