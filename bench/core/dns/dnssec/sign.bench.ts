/**
 * Microseconds of a signature, alone and in batches, of a hash and of the steps around them.
 * Run: node dist/bench/core/dns/dnssec/sign.bench.js
 */
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { Bench } from 'tinybench';
import { canonicalWireForm } from '../../../../core/dns/dnssec/canonical.ts';
import { ALGORITHM } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { validityOf } from '../../../../core/dns/dnssec/lifetime.ts';
import { hashName, hashNameWords, NSEC3_HASH_WORDS, nsec3Rdata } from '../../../../core/dns/dnssec/nsec3.ts';
import { loadP256Key, signP256Batch } from '../../../../core/dns/dnssec/p256.ts';
import { prepareRrsig } from '../../../../core/dns/dnssec/rrsig.ts';
import { loadRsaKey, signRsa } from '../../../../core/dns/dnssec/rsa.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { signRRset } from '../../../../test/core/dns/dnssec/sign-rrsets.ts';

const bench = new Bench({ time: 500, warmupIterations: 200 });
/** Operations of an iteration of each task. */
const operations = new Map<string, number>();
const add = (name: string, count: number, run: () => void): void => {
  operations.set(name, count);
  bench.add(name, () => {
    run();
  });
};

const scalar = loadP256Key(randomBytes(32));
for (const size of [1, 2, 4, 8, 64, 500]) {
  const requests = Array.from({ length: size }, () => ({ key: scalar, digest: randomBytes(32) }));
  const rounds = Math.ceil(64 / size);
  add(`P-256, batch of ${size}`, size * rounds, () => {
    for (let i = 0; i < rounds; i++) signP256Batch(requests);
  });
}

const message = randomBytes(150);
const signature = (key: Parameters<typeof sign>[2]) => sign('sha256', message, key);
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ours = { key: pair.privateKey, dsaEncoding: 'ieee-p1363' } as const;
const theirs = { key: pair.publicKey, dsaEncoding: 'ieee-p1363' } as const;
const made = signature(ours);
add('crypto.sign, P-256', 1, () => void signature(ours));
add('crypto.verify, P-256', 1, () => void verify('sha256', message, theirs, made));

const rrset = {
  owner: parseName('www.example.com.'),
  type: TYPE.MX,
  ttl: 300,
  rdatas: [parseRdata(TYPE.MX, '10 a.example.net.'), parseRdata(TYPE.MX, '5 b.example.net.')],
};
for (const [name, algorithm] of Object.entries(ALGORITHM)) {
  const key = new SigningKey(generateKeyPair(algorithm));
  const request = { rrset, key, signer: parseName('example.com.'), validity: validityOf(1_700_000_000, 1) };
  add(`an RRSIG, ${name}`, 1, () => void signRRset(request));
  add(`its message and digest, ${name}`, 1, () => void prepareRrsig(request));
}
add('canonical form of two MX records', 100, () => {
  for (let i = 0; i < 100; i++) canonicalWireForm(rrset);
});

const words = new Int32Array(NSEC3_HASH_WORDS);
for (const length of [30, 55, 119]) {
  const name = Uint8Array.from(randomBytes(length));
  add(`NSEC3 hash into words, ${length} bytes`, 1000, () => {
    for (let i = 0; i < 1000; i++) hashNameWords(name, 0, length, words);
  });
  add(`NSEC3 hash as bytes, ${length} bytes`, 1000, () => {
    for (let i = 0; i < 1000; i++) hashName(name);
  });
}
const hash = randomBytes(20);
add('NSEC3 rdata', 100, () => {
  for (let i = 0; i < 100; i++) nsec3Rdata(hash, [TYPE.A, TYPE.AAAA, TYPE.RRSIG]);
});

for (const bits of [1024, 2048, 4096]) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const key = loadRsaKey(privateKey.export({ format: 'der', type: 'pkcs8' }));
  add(`RSA, ${bits} bits`, 1, () => void signRsa(key, 'sha256', message));
}

await bench.run();
console.table(
  bench.tasks.map(({ name, result }) => ({
    task: name,
    'µs (median)': 'latency' in result ? ((result.latency.p50 * 1000) / operations.get(name)!).toFixed(2) : 'failed',
  })),
);
