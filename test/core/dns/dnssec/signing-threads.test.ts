import { createHash, generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALGORITHM } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, type SigningInput, SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { readKeyPair } from '../../../../core/dns/dnssec/private-key.ts';
import { SigningThreads } from '../../../../core/dns/dnssec/signing-threads.ts';
import { EXAMPLE_KEYS, rsaFile } from './rsa-keys.ts';

const test = suite('signing threads');
/** Of several tasks. */
const COUNT = 600;

const keys = [
  generateKeyPair(ALGORITHM.ECDSAP256SHA256),
  generateKeyPair(ALGORITHM.ED25519),
  ...EXAMPLE_KEYS.map(({ file }) => readKeyPair(file)),
  readKeyPair(rsaFile(8, generateKeyPairSync('rsa', { modulusLength: 1280 }).privateKey)),
].map((pair) => new SigningKey(pair));

const inputs = Array.from({ length: COUNT }, (_, i): SigningInput => {
  const message = Buffer.from(`message ${i} ${'x'.repeat(i)}`);
  return { key: keys[i % keys.length], message, digest: createHash('sha256').update(message).digest() };
});

test('threads make the signatures that the calling thread makes, in order', async () => {
  const threads = new SigningThreads();
  try {
    const expected = SigningKey.signAll(inputs);
    const made = await Promise.all([threads.sign(inputs), threads.sign(inputs.slice(0, 3)), threads.sign([])]);
    assert.equal(
      made.map((signatures) => signatures.map((signature) => Buffer.from(signature).toString('hex'))),
      [expected, expected.slice(0, 3), []].map((signatures) =>
        signatures.map((signature) => Buffer.from(signature).toString('hex')),
      ),
    );
  } finally {
    await threads.close();
  }
});

test('what waits for a thread is signed when the threads are closed', async () => {
  const threads = new SigningThreads();
  const signing = threads.sign(inputs);
  await threads.close();
  assert.is((await signing).length, COUNT);
});

test.run();
