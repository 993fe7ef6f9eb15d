import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { parseType } from '../../../../core/wire/mnemonics.ts';
import { checkRdata, parseRdata, rdataToObject } from '../../../../core/wire/rdata/index.ts';
import fc from '../../../support/fc.ts';
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

test('random rdata becomes JSON with snake case keys; hostile bytes an object or an InvalidError', () => {
  fc.assert(
    fc.property(typeAndRdata, fc.nat(400), fc.uint8Array({ maxLength: 5 }), ({ type, rdata }, cut, more) => {
      const object = rdataToObject(type, rdata);
      assert.equal(JSON.parse(JSON.stringify(object)), object);
      for (const key of Object.keys(object)) assert.match(key, /^[a-z0-9_]+$/);
      const bytes = Uint8Array.from([...rdata.subarray(0, cut), ...more]);
      try {
        rdataToObject(type, bytes);
      } catch (error) {
        assert.instance(error, InvalidError);
        assert.throws(() => checkRdata(type, bytes));
      }
    }),
    { numRuns: 5000 },
  );
});

test.run();
