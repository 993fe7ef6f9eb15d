/** Ed25519 with the test vectors of RFC 8032 7.1. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generateEd25519Seed, loadEd25519Key, signEd25519 } from '../../../../core/dns/dnssec/keys.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

const VECTORS = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
];

for (const { seed, publicKey, message, signature } of VECTORS)
  test(`RFC 8032 7.1, message "${message}"`, () => {
    const key = loadEd25519Key(bytes(seed));
    assert.is(hex(key.publicKey), publicKey);
    assert.is(hex(signEd25519(key, bytes(message))), signature);
    assert.is(hex(signEd25519(key, bytes(message))), signature);
  });

test('a seed has 32 bytes', () => {
  assert.is(generateEd25519Seed().length, 32);
  assert.is.not(hex(generateEd25519Seed()), hex(generateEd25519Seed()));
  for (const length of [0, 31, 33])
    assert.throws(
      () => loadEd25519Key(Buffer.alloc(length)),
      (error: unknown) => error instanceof RangeError,
    );
});

test.run();
