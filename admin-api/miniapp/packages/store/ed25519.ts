/** Ed25519 keys and signatures (RFC 8032), off the main thread. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

const signAsync = promisify((data: Buffer, key: KeyObject, done: (error: Error | null, signature: Buffer) => void) =>
  sign(null, data, key, done),
);

/** SubjectPublicKeyInfo of Ed25519 (RFC 8410 4), before the 32 bytes. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

interface NewKey {
  /** The 32 bytes in base64. */
  readonly publicKey: string;
  /** PKCS#8; the caller wipes it. */
  readonly privateKey: Buffer;
}

export function generateKey(): NewKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    publicKey: spki.subarray(SPKI_HEAD.length).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
  };
}

export const openPrivateKey = (pkcs8: Buffer): KeyObject =>
  createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });

/** Resolves with the signature in base64. */
export const signStatement = async (statement: Buffer, key: KeyObject): Promise<string> =>
  (await signAsync(statement, key)).toString('base64');

/** The public key for openssl. */
export const publicKeyPem = (publicKey: string): string =>
  createPublicKey({
    key: Buffer.concat([SPKI_HEAD, Buffer.from(publicKey, 'base64')]),
    format: 'der',
    type: 'spki',
  })
    .export({ type: 'spki', format: 'pem' })
    .toString();
