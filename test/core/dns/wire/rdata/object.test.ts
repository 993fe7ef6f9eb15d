import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseType } from '../../../../../core/dns/wire/mnemonics.ts';
import { parseRdata, rdataToObject } from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';
import { typeAndRdata } from '../arbitrary.ts';

const D64 = 'ab'.repeat(32);

/** Type, content, structured form. SVCB, HTTPS and LOC have tests of their own. */
const OBJECTS: readonly (readonly [type: string, content: string, object: object])[] = [
  ['A', '192.0.2.1', { address: '192.0.2.1' }],
  ['AAAA', '2001:DB8::0', { address: '2001:db8::' }],
  ['CNAME', 'a.example', { target: 'a.example.' }],
  ['ALIAS', 'a.example', { target: 'a.example.' }],
  ['DNAME', 'a.example', { target: 'a.example.' }],
  ['NS', 'a.example', { target: 'a.example.' }],
  ['PTR', 'a\\.b.example', { target: 'a\\.b.example.' }],
  ['MX', '10 a.example', { priority: 10, target: 'a.example.' }],
  ['SRV', '1 2 3 a.example', { priority: 1, weight: 2, port: 3, target: 'a.example.' }],
  ['TXT', '"a" "é"', { strings: ['a', 'é'], text: 'aé' }],
  ['TXT', '""', { strings: [''], text: '' }],
  ['CAA', '128 ISSUE "ca.example; a=b"', { flags: 128, tag: 'issue', value: 'ca.example; a=b' }],
  ['DS', `12345 13 2 ${D64.toUpperCase()}`, { key_tag: 12345, algorithm: 13, digest_type: 2, digest: D64 }],
  ['SSHFP', `4 2 ${D64}`, { algorithm: 4, fingerprint_type: 2, fingerprint: D64 }],
  ['TLSA', `3 1 1 ${D64}`, { usage: 3, selector: 1, matching_type: 1, certificate: D64 }],
  [
    'NAPTR',
    '100 10 "u" "E2U+sip" "!^.*$!sip:a@b!" .',
    { order: 100, preference: 10, flags: 'u', services: 'E2U+sip', regexp: '!^.*$!sip:a@b!', replacement: '.' },
  ],
  ['URI', '10 1 "https://a.example/"', { priority: 10, weight: 1, target: 'https://a.example/' }],
  ['TYPE65280', '\\# 2 abcd', { rdata: 'abcd' }],
  ['SPF', '"v=spf1 -all"', { strings: ['v=spf1 -all'], text: 'v=spf1 -all' }],
  ['HINFO', 'PC Linux', { cpu: 'PC', os: 'Linux' }],
  ['X25', '311061700956', { psdn_address: '311061700956' }],
  ['ISDN', '150862028003217', { isdn_address: '150862028003217' }],
  ['ISDN', '150862028003217 004', { isdn_address: '150862028003217', subaddress: '004' }],
  ['GPOS', '-32.6882 116.8652 10.0', { longitude: '-32.6882', latitude: '116.8652', altitude: '10.0' }],
  ['RP', 'a.example b.example', { mailbox: 'a.example.', text_name: 'b.example.' }],
  ['MINFO', 'a.example b.example', { responsible_mailbox: 'a.example.', error_mailbox: 'b.example.' }],
  ['AFSDB', '1 a.example', { subtype: 1, target: 'a.example.' }],
  ['PX', '10 a.example b.example', { priority: 10, map822: 'a.example.', mapx400: 'b.example.' }],
  ['DSYNC', 'CDS NOTIFY 53 a.example', { type: 'CDS', scheme: 1, port: 53, target: 'a.example.' }],
  ['CDS', '0 0 0 00', { key_tag: 0, algorithm: 0, digest_type: 0, digest: '00' }],
  ['ZONEMD', `1 1 240 ${'ab'.repeat(12)}`, { serial: 1, scheme: 1, hash_algorithm: 240, digest: 'ab'.repeat(12) }],
  ['DNSKEY', '257 3 13 AQID', { flags: 257, protocol: 3, algorithm: 13, public_key: 'AQID' }],
  ['KEY', '49152 3 0', { flags: 49152, protocol: 3, algorithm: 0, public_key: '' }],
  [
    'RRSIG',
    'A 13 2 300 20261201000000 1793577600 12345 example.net. MTIzNDU2Nzg=',
    {
      type_covered: 'A',
      algorithm: 13,
      labels: 2,
      original_ttl: 300,
      expiration: '20261201000000',
      inception: '20261102000000',
      key_tag: 12345,
      signer: 'example.net.',
      signature: 'MTIzNDU2Nzg=',
    },
  ],
  ['NSEC', 'a.example NSEC A TYPE1234', { next_name: 'a.example.', types: ['A', 'NSEC', 'TYPE1234'] }],
  ['NXT', 'a.example NXT A', { next_name: 'a.example.', types: ['A', 'NXT'] }],
  [
    'NSEC3',
    '1 1 12 aabb 2t7b4g4vsa5smi47k61mv5bv1a22bojr A',
    {
      hash_algorithm: 1,
      flags: 1,
      iterations: 12,
      salt: 'aabb',
      next_hashed_owner: '2T7B4G4VSA5SMI47K61MV5BV1A22BOJR',
      types: ['A'],
    },
  ],
  ['NSEC3PARAM', '1 0 0 -', { hash_algorithm: 1, flags: 0, iterations: 0, salt: '' }],
  ['CSYNC', '66 3 A NS AAAA', { serial: 66, flags: 3, types: ['A', 'NS', 'AAAA'] }],
  ['CERT', 'PGP 1 RSASHA256 AQID', { type: 3, key_tag: 1, algorithm: 8, certificate: 'AQID' }],
  ['OPENPGPKEY', 'AQ ID', { public_key: 'AQID' }],
  ['EID', 'AB cd', { data: 'abcd' }],
  ['SINK', '1 2 3', { meaning: 1, coding: 2, subcoding: 3, data: '' }],
  ['DOA', '0 1 2 "" -', { enterprise: 0, type: 1, location: 2, media_type: '', data: '' }],
  [
    'IPSECKEY',
    '10 3 2 a.example AQID',
    { precedence: 10, gateway_type: 3, algorithm: 2, gateway: 'a.example.', public_key: 'AQID' },
  ],
  ['AMTRELAY', '10 1 2 2001:db8::1', { precedence: 10, discovery_optional: true, relay_type: 2, relay: '2001:db8::1' }],
  ['HIP', '2 AB AQID a.example', { algorithm: 2, hit: 'ab', public_key: 'AQID', rendezvous_servers: ['a.example.'] }],
  ['NID', '10 14:4fff:ff20:ee64', { priority: 10, node_id: '0014:4fff:ff20:ee64' }],
  ['L32', '10 10.1.2.0', { priority: 10, locator: '10.1.2.0' }],
  ['EUI48', '00-00-5E-00-53-2A', { address: '00-00-5e-00-53-2a' }],
  ['IPN', '18446744073709551615', { node_number: '18446744073709551615' }],
  [
    'APL',
    '1:192.0.2.0/24 !2:2001:db8::/32',
    {
      prefixes: [
        { prefix: '192.0.2.0/24', negated: false },
        { prefix: '2001:db8::/32', negated: true },
      ],
    },
  ],
  ['WKS', '192.0.2.1 tcp smtp 53', { address: '192.0.2.1', protocol: 6, ports: [25, 53] }],
  ['NSAP', '0x47.0005', { address: '0x470005' }],
  ['ATMA', '+312.3', { address: '+3123' }],
  ['A6', '64 ::1 a.example', { prefix_length: 64, suffix: '::1', prefix_name: 'a.example.' }],
];

test('contents as objects', () => {
  for (const [name, content, object] of OBJECTS) {
    const type = parseType(name) as number;
    const rdata = parseRdata(type, content);
    assert.equal(rdataToObject(type, rdata), object, `${name} ${content}`);
    // In the order of the content.
    assert.equal(Object.keys(rdataToObject(type, rdata)), Object.keys(object));
  }
});

test('random rdata becomes JSON with snake case keys; hostile bytes become an object too', () => {
  fc.assert(
    fc.property(typeAndRdata, fc.nat(400), fc.uint8Array({ maxLength: 5 }), ({ type, rdata }, cut, more) => {
      const object = rdataToObject(type, rdata);
      assert.equal(JSON.parse(JSON.stringify(object)), object);
      for (const key of Object.keys(object)) assert.match(key, /^[a-z0-9_]+$/);
      const bytes = Uint8Array.from([...rdata.subarray(0, cut), ...more]);
      assert.type(JSON.stringify(rdataToObject(type, bytes)), 'string');
    }),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
});

test('invalid rdata is written in hexadecimal', () => {
  assert.equal(rdataToObject(TYPE.HINFO, Uint8Array.of(1)), { rdata: '01' });
  assert.equal(rdataToObject(TYPE.A, Uint8Array.of(1, 2, 3, 4, 5)), { rdata: '0102030405' });
});

test.run();
