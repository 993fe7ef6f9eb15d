/**
 * Reads private keys as other nameservers store them: the files of BIND, ldns and PowerDNS
 * (Private-key-format), and PKCS #8 in PEM, as Knot and OpenSSL write it.
 */
import { createPrivateKey } from 'node:crypto';
import { InvalidError } from '../../base/errors.ts';
import { ALGORITHM, type Algorithm } from './dnskey.ts';
import { type KeyPair, keyPairOf } from './keys.ts';

/** Characters. A PEM of P-256 has about 250. */
export const MAX_PRIVATE_KEY = 8192;

interface PrivateKey {
  readonly algorithm: Algorithm;
  /** 32 bytes: the scalar of P-256, or the seed of Ed25519. */
  readonly secret: Uint8Array;
}

/** Throws InvalidError `bad_key`, which does not repeat the key. */
export function readKeyPair(text: string): KeyPair {
  const { algorithm, secret } = readPrivateKey(text);
  try {
    return keyPairOf(algorithm, secret);
  } catch {
    throw badKey('it is not a valid key of its algorithm');
  }
}

function readPrivateKey(text: string): PrivateKey {
  if (text.length > MAX_PRIVATE_KEY) throw badKey(`it has more than ${MAX_PRIVATE_KEY} characters`);
  if (/^\s*-----BEGIN /.test(text)) return readPem(text);
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([A-Za-z0-9-]+)\s*:\s*(.*?)\s*$/.exec(line);
    if (match !== null) fields.set(match[1].toLowerCase(), match[2]);
  }
  if (!/^v1\./.test(fields.get('private-key-format') ?? ''))
    throw badKey('it is neither a file with "Private-key-format: v1…" nor PKCS #8 in PEM');
  const algorithm = Number.parseInt(fields.get('algorithm') ?? '', 10);
  if (algorithm !== ALGORITHM.ECDSAP256SHA256 && algorithm !== ALGORITHM.ED25519) throw unsupported(`${algorithm}`);
  return { algorithm, secret: secretOf(Buffer.from(fields.get('privatekey') ?? '', 'base64')) };
}

function readPem(text: string): PrivateKey {
  let jwk: { readonly crv?: string; readonly d?: string };
  let kind: string | undefined;
  try {
    const key = createPrivateKey(text);
    kind = key.asymmetricKeyType;
    jwk = kind === 'ec' || kind === 'ed25519' ? key.export({ format: 'jwk' }) : {};
  } catch {
    throw badKey('the PEM cannot be read, or is encrypted');
  }
  const secret = Buffer.from(jwk.d ?? '', 'base64url');
  if (jwk.crv === 'Ed25519') return { algorithm: ALGORITHM.ED25519, secret: secretOf(secret) };
  if (jwk.crv === 'P-256') return { algorithm: ALGORITHM.ECDSAP256SHA256, secret: secretOf(secret) };
  throw unsupported(jwk.crv ?? kind ?? '?');
}

const LENGTH = 32;

function secretOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== LENGTH) throw badKey(`the private key has ${bytes.length} bytes in place of ${LENGTH}`);
  // The slice of a Buffer would be a view.
  return Uint8Array.from(bytes);
}

const unsupported = (what: string): InvalidError =>
  badKey(`the algorithm ${what} cannot sign here; only 13 (ECDSA P-256) and 15 (Ed25519) can`);

const badKey = (reason: string): InvalidError =>
  new InvalidError('bad_key', `The private key cannot be imported: ${reason}.`, { pointer: '/private_key' });
