/** RRSIG rdata: the examples of the RFCs, and any RRset through an independent validator. */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalWireForm } from '../../../../core/dns/dnssec/canonical.ts';
import { ALGORITHM, type Algorithm } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { readKeyPair } from '../../../../core/dns/dnssec/private-key.ts';
import { prepareRrsig, type RrsigRequest, rrsigRdata } from '../../../../core/dns/dnssec/rrsig.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { checkRdata, formatRdata, parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { nameOf } from '../../../support/names.ts';
import { anyName } from '../wire/arbitrary.ts';
import { anyRRset } from './arbitrary.ts';
import { canonicalForm, chars, isSigned, type PlainRRset } from './reference.ts';
import { EXAMPLE_KEYS } from './rsa-keys.ts';
import { signRRset, signRRsets } from './sign-rrsets.ts';

const test = suite('RRSIG');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const rrset = (owner: string, type: number, ...contents: string[]): PlainRRset => ({
  owner: parseName(owner),
  type,
  ttl: 3600,
  rdatas: contents.map((content) => parseRdata(type, content)),
});

/** RFC 4035 appendix A and B: a zone signed with RSA/SHA-1. */
const RSA_KEY = parseRdata(
  TYPE.DNSKEY,
  '256 3 5 AQOy1bZVvpPqhg4j7EJoM9rI3ZmyEx2OzDBVrZy/lvI5CQePxXHZS4i8dANH4DX3tbHol61ek8EFMcsGXxKciJFHyhl94C+NwILQdzsU' +
    'lSFovBZsyl/NX6yEbtw/xN9ZNcrbYvgjjZ/UVPZIySFNsgEYvh0z2542lzMKR4Dh8uZffQ==',
);
const rsaSignature = (type: string, labels: number, signature: string): Uint8Array =>
  parseRdata(TYPE.RRSIG, `${type} 5 ${labels} 3600 20040509183619 20040409183619 38519 example. ${signature}`);

const RFC_4035: readonly (readonly [what: string, rrset: PlainRRset, rrsig: Uint8Array])[] = [
  [
    'SOA',
    rrset('example.', TYPE.SOA, 'ns1.example. bugs.x.w.example. 1081539377 3600 300 3600000 3600'),
    rsaSignature(
      'SOA',
      1,
      'ONx0k36rcjaxYtcNgq6iQnpNV5+drqYAsC9h7TSJaHCqbhE67Sr6aH2xDUGcqQWu/n0UVzrFvkgO9ebarZ0GWDKcuwlM6eNB5SiX2K74l5LW' +
        'DA7S/Un/IbtDq4Ay8NMNLQI7Dw7n4p8/rjkBjV7j86HyQgM5e7+miRAz8V01b0I=',
    ),
  ],
  [
    'NS, two records in the other order',
    rrset('example.', TYPE.NS, 'ns2.example.', 'ns1.example.'),
    rsaSignature(
      'NS',
      1,
      'gl13F00f2U0R+SWiXXLHwsMY+qStYy5k6zfdEuivWc+wd1fmbNCyql0Tk7lHTX6UOxc8AgNf4ISFve8XqF4q+o9qlnqIzmppU3LiNeKT4FZ8' +
        'RO5urFOvoMRTbQxW3U0hXWuggE4g3ZpsHv480HjMeRaZB/FRPGfJPajngcq6Kwg=',
    ),
  ],
  [
    'NSEC',
    rrset('ns1.example.', TYPE.NSEC, 'ns2.example. A RRSIG NSEC'),
    rsaSignature(
      'NSEC',
      2,
      'I4hj+Kt6+8rCcHcUdolks2S+Wzri9h3fHas81rGN/eILdJHN7JpV6lLGPIh/8fIBkfvdyWnBjjf1q3O7JgYO1UdI7FvBNWqaaEPJK3UkddBq' +
        'ZIaLi8Qr2XHkjq38BeQsbp8X0+6h4ETWSGT8IZaIGBLryQWGLw6Y6X8dqhlnxJM=',
    ),
  ],
  [
    'DS',
    rrset('a.example.', TYPE.DS, '57855 5 1 B6DCD485719ADCA18E5F3D48A2331627FDD3636B'),
    rsaSignature(
      'DS',
      2,
      'oXIKit/QtdG64J/CB+Gi8dOvnwRvqrto1AdQoRkAN15FP3iZ7suB7gvTBmXzCjL7XUgQVcoHkdhyCuzp8W9qJHgRUSwKKkczSyuL64nhgjuD' +
        'EML8l9wlWVsl7PR2VnZduM9bLyBhaaPmRKX/Fm+v6ccF2EGNLRiY08kdkz+XHHo=',
    ),
  ],
  [
    'HINFO, whose capitals are kept',
    rrset('ai.example.', TYPE.HINFO, '"KLH-10" "ITS"'),
    rsaSignature(
      'HINFO',
      2,
      'Iq/RGCbBdKzcYzlGE4ovbr5YcB+ezxbZ9W0le/7WqyvhOO9J16HxhhL7VY/IKmTUY0GGdcfhZEOCkf4lEykZF9NPok1/R/fWrtzNp8jobuY7' +
        'AZEcZadp1WdDF3jc2/ndCa5XZhLKD3JzOsBwFvL8sqlS5QS6FY/ijFEDnI4RkZA=',
    ),
  ],
  [
    'a wildcard',
    rrset('*.w.example.', TYPE.MX, '1 ai.example.'),
    rsaSignature(
      'MX',
      2,
      'OMK8rAZlepfzLWW75Dxd63jy2wswESzxDKG2f9AMN1CytCd10cYISAxfAdvXSZ7xujKAtPbctvOQ2ofO7AZJ+d01EeeQTVBPq4/6KCWhqe2X' +
        'TjnkVLNvvhnc0u28aoSsG0+4InvkkOHknKxw4kX18MMR34i8lC36SR5xBni8vHI=',
    ),
  ],
];

for (const [what, records, rrsig] of RFC_4035)
  test(`RFC 4035 appendix B: ${what}`, () => {
    assert.ok(isSigned(records, rrsig, RSA_KEY));
    assert.is(hex(canonicalWireForm(records)), hex(Buffer.from(canonicalForm(records), 'latin1')));
  });

test('RFC 4035 B.6: the validator expands a wildcard', () => {
  const [, records, rrsig] = RFC_4035[RFC_4035.length - 1];
  assert.ok(isSigned({ ...records, owner: parseName('a.z.w.example.') }, rrsig, RSA_KEY));
  assert.not(isSigned({ ...records, owner: parseName('a.z.v.example.') }, rrsig, RSA_KEY));
});

test('RFC 6605 6.1: a signature that was not deterministic', () => {
  const dnskey = parseRdata(
    TYPE.DNSKEY,
    '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
  );
  const rrsig = parseRdata(
    TYPE.RRSIG,
    'A 13 3 3600 20100909100439 20100812100439 55648 example.net. ' +
      'qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw==',
  );
  const records = rrset('www.example.net.', TYPE.A, '192.0.2.1');
  assert.ok(isSigned(records, rrsig, dnskey));
  // All but the signature is what we make.
  const privateKey = Buffer.from('GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=', 'base64');
  const ours = signRRset({
    rrset: records,
    key: new SigningKey({ dnskey, privateKey }),
    signer: parseName('example.net.'),
    validity: {
      inception: Date.UTC(2010, 7, 12, 10, 4, 39) / 1000,
      expiration: Date.UTC(2010, 8, 9, 10, 4, 39) / 1000,
    },
  });
  assert.is(hex(ours.subarray(0, -64)), hex(rrsig.subarray(0, -64)));
  assert.ok(isSigned(records, ours, dnskey));
});

for (const { file, dnskey, rrsig } of EXAMPLE_KEYS)
  test(`RSA, algorithm ${dnskey.split(' ')[2]}: the signature of BIND`, () => {
    const key = new SigningKey(readKeyPair(file));
    const records = { ...rrset('mail.example.com.', TYPE.MX, '10 mail.example.com.'), ttl: 300 };
    const validity = { inception: Date.UTC(2027, 0, 1) / 1000, expiration: Date.UTC(2027, 1, 1) / 1000 };
    const ours = signRRset({ rrset: records, key, signer: parseName('example.com.'), validity });
    assert.is(formatRdata(TYPE.DNSKEY, key.dnskey), dnskey);
    assert.is(formatRdata(TYPE.RRSIG, ours), rrsig);
  });

/** RFC 8080 6.1, with the signatures of erratum 4935. */
const RFC_8080 = [
  {
    dnskey: '257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
    privateKey: 'ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI=',
    rrsig:
      'MX 15 2 3600 20150819220000 20150729220000 3613 example.com. ' +
      'oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==',
  },
  {
    dnskey: '257 3 15 zPnZ/QwEe7S8C5SPz2OfS5RR40ATk2/rYnE9xHIEijs=',
    privateKey: 'DSSF3o0s0f+ElWzj9E/Osxw8hLpk55chkmx0LYN5WiY=',
    rrsig:
      'MX 15 2 3600 20150819220000 20150729220000 35217 example.com. ' +
      'zXQ0bkYgQTEFyfLyi9QoiY6D8ZdYo4wyUhVioYZXFdT410QPRITQSqJSnzQoSm5poJ7gD7AQR0O7KuI5k2pcBg==',
  },
];

for (const { dnskey, privateKey, rrsig } of RFC_8080)
  test(`RFC 8080 6.1: key ${rrsig.split(' ')[6]}`, () => {
    const key = new SigningKey({
      dnskey: parseRdata(TYPE.DNSKEY, dnskey),
      privateKey: Buffer.from(privateKey, 'base64'),
    });
    const records = rrset('example.com.', TYPE.MX, '10 mail.example.com.');
    const validity = { inception: 1438207200, expiration: 1440021600 };
    const ours = signRRset({ rrset: records, key, signer: parseName('example.com.'), validity });
    assert.is(formatRdata(TYPE.RRSIG, ours), rrsig);
  });

const KEYS = [ALGORITHM.ECDSAP256SHA256, ALGORITHM.ED25519].map(
  (algorithm: Algorithm) => new SigningKey(generateKeyPair(algorithm)),
);

const anyRequest: fc.Arbitrary<RrsigRequest> = fc.record({
  rrset: anyRRset,
  key: fc.constantFrom(...KEYS),
  signer: anyName,
  validity: fc.record({ inception: fc.nat(0xffffffff), expiration: fc.nat(0xffffffff) }),
});

test('the signature of any RRset is valid, is well-formed and is the same each time', () => {
  fc.assert(
    fc.property(fc.array(anyRequest, { maxLength: 5 }), (requests) => {
      const rdatas = signRRsets(requests);
      requests.forEach((request, i) => {
        checkRdata(TYPE.RRSIG, rdatas[i]);
        assert.ok(isSigned(request.rrset, rdatas[i], request.key.dnskey));
        assert.is(hex(signRRset(request)), hex(rdatas[i]));
      });
    }),
    { numRuns: depth({ quick: 100, moderate: 500, full: 5000 }) },
  );
});

test('the order and case of the records do not matter', () => {
  const root = parseName('.');
  const [key] = KEYS;
  const validity = { inception: 1, expiration: 2 };
  const sign = (owner: string[], targets: string[][], signer: string[]): string =>
    hex(
      signRRset({
        rrset: { owner: nameOf(owner, root), type: TYPE.NS, ttl: 5, rdatas: targets.map((name) => nameOf(name, root)) },
        key,
        signer: nameOf(signer, root),
        validity,
      }),
    );
  assert.is(
    sign(['WWW', 'Example'], [['B'], ['a'], ['A']], ['EXAMPLE']),
    sign(['www', 'example'], [['a'], ['b']], ['example']),
  );
});

test('every change of the request changes the message', () => {
  const base: RrsigRequest = {
    rrset: rrset('www.example.', TYPE.A, '192.0.2.1'),
    key: KEYS[0],
    signer: parseName('example.'),
    validity: { inception: 1_700_000_000, expiration: 1_702_000_000 },
  };
  const changes: readonly Partial<RrsigRequest>[] = [
    {},
    { rrset: { ...base.rrset, ttl: 3601 } },
    { rrset: { ...base.rrset, owner: parseName('w.example.') } },
    { rrset: { ...base.rrset, type: TYPE.EUI48 } },
    { rrset: rrset('www.example.', TYPE.A, '192.0.2.2') },
    { rrset: rrset('www.example.', TYPE.A, '192.0.2.1', '192.0.2.2') },
    { key: KEYS[1] },
    { signer: parseName('www.example.') },
    { validity: { ...base.validity, inception: 1_700_000_001 } },
    { validity: { ...base.validity, expiration: 1_702_000_001 } },
  ];
  const digests = changes.map((change) => hex(prepareRrsig({ ...base, ...change }).digest));
  assert.is(new Set(digests).size, changes.length);
});

test('a prepared signature can be completed later', () => {
  const request: RrsigRequest = {
    rrset: rrset('*.example.', TYPE.TXT, '"a"', '"b"'),
    key: KEYS[0],
    signer: parseName('example.'),
    validity: { inception: 2 ** 32 - 1, expiration: 2 ** 32 + 9 },
  };
  const prepared = prepareRrsig(request);
  assert.is(hex(prepared.digest), createHash('sha256').update(prepared.message).digest('hex'));
  const rdata = rrsigRdata(prepared, SigningKey.signAll([prepared])[0]);
  assert.is(hex(rdata), hex(signRRset(request)));
  // Times are modulo 2^32, and the asterisk is no label.
  assert.match(formatRdata(TYPE.RRSIG, rdata), /^TXT 13 1 3600 19700101000009 21060207062815 /);
  assert.is(chars(rdata).length, 18 + 9 + 64);
});

test.run();
