import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentWithoutHints } from '../../../../admin-api/sites/proxy/exposed-fix.ts';
import { findExposure } from '../../../../admin-api/sites/proxy/exposure.ts';
import { hostName } from '../../../../admin-api/sites/proxy/own-names.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { RECORD_RDATA } from '../../../../core/store/rows.ts';
import { type Answer, listOf } from '../../daemon.ts';
import { type Rig, startRig } from './rig.ts';

const test = suite<Rig>('admin-api/sites/proxy/exposed');
test.before(async (context) => void Object.assign(context, await startRig()));
test.after((context) => context.daemon.stop());

const exposedLines = ({ body }: Answer): string[] =>
  listOf(body.proxy.exposed).map(({ name, type, content }) => `${name} ${type} ${content}`);

const value = (type: number, content: string): Buffer =>
  Buffer.concat([Buffer.alloc(RECORD_RDATA), parseRdata(type, content)]);

const idsOf = (...addresses: string[]): Set<string> =>
  new Set(addresses.map((hex) => Buffer.from(hex, 'hex').toString('latin1')));

test('how a record reveals the origin', () => {
  const byAddress = {
    addresses: idsOf('cb007107', '20010db8000000000000000000000007'),
    host: null,
    hostText: null,
  };
  const byName = { addresses: idsOf(), host: hostName('o.example.net')!, hostText: 'o.example.net' };
  for (const [type, content, address, name] of [
    ['A', '203.0.113.7', 'address', null],
    ['A', '203.0.113.8', null, null],
    ['AAAA', '2001:db8::7', 'address', null],
    ['AAAA', '::203.0.113.7', null, null],
    ['CNAME', 'o.example.net', null, 'host'],
    ['ALIAS', 'o.example.net', null, 'host'],
    ['CNAME', 'x.o.example.net', null, null],
    ['CNAME', 'o.example.net.evil', null, null],
    ['MX', '10 o.example.net', null, 'target'],
    ['SRV', '1 2 443 o.example.net', null, 'target'],
    ['NS', 'o.example.net', null, 'target'],
    ['HTTPS', '1 o.example.net', null, 'target'],
    ['HTTPS', '1 . alpn=h2 ipv4hint=192.0.2.1,203.0.113.7', 'hint', null],
    ['SVCB', '1 . ipv6hint=2001:db8::7', 'hint', null],
    ['HTTPS', '1 . alpn=h2 ipv4hint=192.0.2.1', null, null],
    ['TXT', 'v=spf1 ip4:203.0.113.7 -all', 'text', null],
    ['TXT', 'v=spf1 +ip4:203.0.113.7/32 -all', 'text', null],
    ['TXT', 'v=spf1 ip6:2001:DB8:0::7 -all', 'text', null],
    ['TXT', 'v=spf1 ip4:203.0.113.70 ip4:1203.0.113.7 -all', null, null],
    ['TXT', 'server=203.0.113.7', 'text', null],
    ['TXT', 'see http://203.0.113.7:8080/status', 'text', null],
    ['TXT', 'v=spf1 a:o.example.net -all', null, 'text'],
    ['TXT', 'backend O.EXAMPLE.NET.', null, 'text'],
    ['TXT', 'o.example.network', null, null],
    ['CAA', '0 issue "o.example.net"', null, null],
  ] as const) {
    const bytes = value(TYPE[type], content);
    assert.is(findExposure(TYPE[type], bytes, byAddress), address, `${type} ${content}`);
    assert.is(findExposure(TYPE[type], bytes, byName), name, `${type} ${content}`);
  }
});

test('an HTTPS record without its address hints', () => {
  for (const [content, fixed] of [
    ['1 . alpn=h2 ipv4hint=192.0.2.1', '1 . alpn="h2"'],
    ['1 svc.example.net ipv4hint=192.0.2.1 ech=AAAA ipv6hint=2001:db8::7', '1 svc.example.net. ech=AAAA'],
    ['1 . mandatory=alpn alpn=h2 ipv4hint=192.0.2.1', '1 . mandatory=alpn alpn="h2"'],
    ['1 . mandatory=ipv4hint ipv4hint=192.0.2.1', null],
  ] as const)
    assert.is(contentWithoutHints(TYPE.HTTPS, parseRdata(TYPE.HTTPS, content)), fixed, content);
});

test('a mail host cannot be proxied, whatever its records are', async ({ domain, proxy }) => {
  const id = await domain('mailed-zone.com', ['@ MX 10 mail.mailed-zone.com', 'mail A 1.1.1.1 proxied=false']);
  const [mail] = listOf((await proxy('PUT', id, '', { origin: '1.1.1.1' })).body.proxy.exposed);
  assert.match(String(mail.why), /MX, SRV or NS record points to this name/);
  assert.is(mail.fix, null as never);
});

test('joins the strings of a text', () => {
  const bytes = Buffer.concat([Buffer.alloc(RECORD_RDATA), parseRdata(TYPE.TXT, '"v=spf1 ip4:203.0" ".113.7"')]);
  const secret = { addresses: idsOf('cb007107'), host: null, hostText: null };
  assert.is(findExposure(TYPE.TXT, bytes, secret), 'text');
});

test('lists names that are not proxied, with reasons; the same with the proxy off', async ({ domain, proxy }) => {
  const id = await domain('grey-zone.com', [
    '@ A 1.1.1.1',
    '@ MX 10 mail.grey-zone.com',
    '@ TXT "v=spf1 ip4:1.1.1.1 -all"',
    'www A 1.1.1.1',
    'www HTTPS 1 . ipv4hint=1.1.1.1',
    'mail A 1.1.1.1',
    'ftp A 1.1.1.1 proxied=false',
    'forced A 1.1.1.1',
    '_srv._tcp A 1.1.1.1',
    '_ok._tcp A 1.1.1.1 proxied=true',
    'other A 9.9.9.9 proxied=false',
    '_sip._tcp SRV 1 2 3 sip.grey-zone.com',
    'sip AAAA 2606:4700::1',
  ]);
  assert.equal(exposedLines(await proxy('GET', id)), [], 'nothing is set');
  const off = await proxy('PUT', id, '', { origin: '1.1.1.1' });
  assert.equal(exposedLines(off), [
    '@ TXT "v=spf1 ip4:1.1.1.1 -all"',
    '_srv._tcp A 1.1.1.1',
    'ftp A 1.1.1.1',
    'mail A 1.1.1.1',
    'www HTTPS 1 . ipv4hint=1.1.1.1',
  ]);
  const whys = new Map(listOf(off.body.proxy.exposed).map(({ name, why }) => [String(name), String(why)]));
  assert.match(whys.get('mail')!, /MX, SRV or NS record points to this name/);
  assert.match(whys.get('ftp')!, /"proxied": false/);
  assert.match(whys.get('_srv._tcp')!, /underscore/);
  const fixes = listOf(off.body.proxy.exposed).map(({ name, fix, fixed_content }) => [name, fix, fixed_content]);
  assert.equal(fixes, [
    ['@', null, null],
    ['_srv._tcp', 'set_proxied', null],
    ['ftp', 'set_proxied', null],
    ['mail', null, null],
    ['www', 'remove_hints', '1 .'],
  ]);
  const on = await proxy('POST', id, '/toggle', { enable: true });
  assert.equal(on.body.proxy.exposed, off.body.proxy.exposed);
});

test('an origin with a host name: its record, its targets, and its addresses in our records', async ({
  domain,
  proxy,
  hosts,
}) => {
  const id = await domain('named-zone.com', [
    'origin A 1.1.1.1 proxied=false',
    'www A 1.1.1.1',
    'db A 1.1.1.1 proxied=false',
    '@ MX 10 origin.named-zone.com',
    'old CNAME origin.named-zone.com proxied=false',
    'web CNAME origin.named-zone.com',
  ]);
  const inside = await proxy('PUT', id, '', { origin: 'origin.named-zone.com' });
  assert.equal(exposedLines(inside), [
    '@ MX 10 origin.named-zone.com.',
    'db A 1.1.1.1',
    'old CNAME origin.named-zone.com.',
    'origin A 1.1.1.1',
  ]);
  const [own] = listOf(inside.body.proxy.exposed).filter(({ name }) => String(name) === 'origin');
  assert.match(String(own.why), /anyone who guesses it/);
  assert.is(String(own.fix), 'set_address');
  hosts.set('origin.example.net', ['1.1.1.1']);
  const outside = await proxy('PUT', id, '', { origin: 'origin.example.net' });
  assert.equal(exposedLines(outside), ['db A 1.1.1.1', 'origin A 1.1.1.1'], 'the addresses that it has now');
});

test('without an origin, and for names with servers of their own: the addresses of each proxied name', async ({
  domain,
  proxy,
}) => {
  const id = await domain('each-zone.com', [
    '@ A 1.1.1.1',
    'shop A 8.8.8.8',
    'lead CNAME hidden.each-zone.com',
    'hidden A 8.8.4.4 proxied=false',
    'ftp A 1.1.1.1 proxied=false',
    'pop A 8.8.8.8 proxied=false',
    'other A 9.9.9.9 proxied=false',
    '@ TXT "v=spf1 ip4:8.8.8.8 -all"',
  ]);
  assert.equal(exposedLines(await proxy('GET', id)), []);
  assert.equal(exposedLines(await proxy('POST', id, '/toggle', { enable: true })), [
    '@ TXT "v=spf1 ip4:8.8.8.8 -all"',
    'ftp A 1.1.1.1',
    'hidden A 8.8.4.4',
    'pop A 8.8.8.8',
  ]);
  assert.equal(exposedLines(await proxy('PUT', id, '', { origin: '9.9.9.9' })), [
    '@ TXT "v=spf1 ip4:8.8.8.8 -all"',
    'hidden A 8.8.4.4',
    'other A 9.9.9.9',
    'pop A 8.8.8.8',
  ]);
});

test('lists at most a hundred, and reports that there are more', async ({ domain, proxy }) => {
  const id = await domain(
    'many-zone.com',
    Array.from({ length: 130 }, (_, i) => `_n${i} A 1.1.1.1`),
  );
  const { body } = await proxy('PUT', id, '', { origin: '1.1.1.1' });
  assert.is(listOf(body.proxy.exposed).length, 100);
  assert.match(String(listOf(body.proxy.warnings)[0]), /Only the first 100 .* there are more/);
  const { body: few } = await proxy('PUT', id, '', { origin: '9.9.9.9' });
  assert.equal(few.proxy.warnings, []);
});

test.run();
