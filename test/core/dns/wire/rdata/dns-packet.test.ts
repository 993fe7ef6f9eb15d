/** The wire form of the types that dns-packet knows too, as it encodes them. */
import { type Answer, encode } from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseType } from '../../../../../core/dns/wire/mnemonics.ts';
import { parseRdata } from '../../../../../core/dns/wire/rdata/index.ts';

const D64 = 'ab'.repeat(32);

const CASES: readonly (readonly [content: string, type: string, data: unknown])[] = [
  ['192.0.2.1', 'A', '192.0.2.1'],
  ['2001:db8::1', 'AAAA', '2001:db8::1'],
  ['a.example', 'NS', 'a.example'],
  ['a.example', 'CNAME', 'a.example'],
  ['a.example', 'PTR', 'a.example'],
  ['a.example', 'DNAME', 'a.example'],
  ['10 a.example', 'MX', { preference: 10, exchange: 'a.example' }],
  ['1 2 3 a.example', 'SRV', { priority: 1, weight: 2, port: 3, target: 'a.example' }],
  ['"a b" "c"', 'TXT', ['a b', 'c']],
  ['128 issue "ca.example"', 'CAA', { flags: 128, tag: 'issue', value: 'ca.example', issuerCritical: true }],
  ['PC "Linux 6"', 'HINFO', { cpu: 'PC', os: 'Linux 6' }],
  ['admin.example about.example', 'RP', { mbox: 'admin.example', txt: 'about.example' }],
  [`12345 13 2 ${D64}`, 'DS', { keyTag: 12345, algorithm: 13, digestType: 2, digest: Buffer.from(D64, 'hex') }],
  [`4 2 ${D64}`, 'SSHFP', { algorithm: 4, hash: 2, fingerprint: D64 }],
  [`3 1 1 ${D64}`, 'TLSA', { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.from(D64, 'hex') }],
  ['257 3 13 AQID', 'DNSKEY', { flags: 257, algorithm: 13, key: Buffer.from('AQID', 'base64') }],
  [
    'AAAA 13 2 300 20261201000000 20261101000000 12345 example.net. AQID',
    'RRSIG',
    {
      typeCovered: 'AAAA',
      algorithm: 13,
      labels: 2,
      originalTTL: 300,
      expiration: Date.UTC(2026, 11, 1) / 1000,
      inception: Date.UTC(2026, 10, 1) / 1000,
      keyTag: 12345,
      signersName: 'example.net',
      signature: Buffer.from('AQID', 'base64'),
    },
  ],
  ['b.example A MX RRSIG NSEC CAA', 'NSEC', { nextDomain: 'b.example', rrtypes: ['A', 'MX', 'RRSIG', 'NSEC', 'CAA'] }],
  [
    // RFC 4648 section 10: BASE32-HEX("foobar").
    '1 1 12 aabbccdd CPNMUOJ1E8 A RRSIG',
    'NSEC3',
    {
      algorithm: 1,
      flags: 1,
      iterations: 12,
      salt: Buffer.from('aabbccdd', 'hex'),
      nextDomain: Buffer.from('foobar'),
      rrtypes: ['A', 'RRSIG'],
    },
  ],
];

/** The rdata of the only record of a message without a question, whose owner is the root. */
const FIXED = 12 + 1 + 10;

test('the same bytes as dns-packet', () => {
  for (const [content, type, data] of CASES) {
    const message = encode({ type: 'response', answers: [{ type, name: '.', ttl: 0, data } as unknown as Answer] });
    const ours = parseRdata(parseType(type) as number, content);
    assert.is(Buffer.from(ours).toString('hex'), message.subarray(FIXED).toString('hex'), `${type} ${content}`);
  }
});

test.run();
