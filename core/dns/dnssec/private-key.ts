/**
 * Reads private keys as other nameservers store them: the files of BIND, ldns and PowerDNS
 * (Private-key-format), and PKCS #8 in PEM, as Knot and OpenSSL write it.
 */
import { createPrivateKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto';
import { InvalidError } from '../../base/errors.ts';
import { ALGORITHM, isNewAlgorithm, isRsaAlgorithm, type RsaAlgorithm, type SigningAlgorithm } from './dnskey.ts';
import { type KeyPair, keyPairOf, SigningKey } from './keys.ts';

/** Characters. A key of RSA with 4096 bits has about 3500, one of P-256 250. */
export const MAX_PRIVATE_KEY = 8192;

/** Bytes of the scalar of P-256, and of the seed of Ed25519. */
const LENGTH = 32;

/** Algorithms that are weak or obsolete (RFC 8624 section 3.1, RFC 9905 section 2). */
const OBSOLETE: ReadonlyMap<number, string> = new Map([
  [1, 'RSAMD5'],
  [3, 'DSA'],
  [5, 'RSASHA1'],
  [6, 'DSA-NSEC3-SHA1'],
  [7, 'RSASHA1-NSEC3-SHA1'],
  [12, 'ECC-GOST'],
]);

/** The fields of RSA in a private key file, by the names of a JSON Web Key (RFC 7518 6.3). */
const RSA_FIELDS = {
  n: 'modulus',
  e: 'publicexponent',
  d: 'privateexponent',
  p: 'prime1',
  q: 'prime2',
  dp: 'exponent1',
  dq: 'exponent2',
  qi: 'coefficient',
} as const;

interface PrivateKey {
  readonly algorithm: SigningAlgorithm;
  /** As in KeyPair. */
  readonly secret: Uint8Array;
}

/**
 * `algorithm`: the one that the request names, which PEM does not contain for RSA. Throws
 * InvalidError `bad_key`, which does not repeat the key.
 */
export function readKeyPair(text: string, algorithm?: number): KeyPair {
  if (text.length > MAX_PRIVATE_KEY) throw badKey(`it has more than ${MAX_PRIVATE_KEY} characters`);
  const key = /^\s*-----BEGIN /.test(text) ? readPem(text, algorithm) : readFile(text);
  let pair: KeyPair;
  try {
    pair = keyPairOf(key.algorithm, key.secret);
  } catch (error) {
    if (isRsaAlgorithm(key.algorithm) && error instanceof RangeError) throw badKey(error.message);
    throw badKey('it is not a valid key of its algorithm');
  }
  if (!isConsistent(pair)) throw badKey('its private part does not belong to its public part');
  return pair;
}

/** Whether the private key makes signatures that the public key verifies. */
function isConsistent(pair: KeyPair): boolean {
  const message = Buffer.from('waypost');
  try {
    const key = new SigningKey(pair);
    const [signature] = SigningKey.signAll([{ key, message, digest: hash('sha256', message, 'buffer') }]);
    return key.verifies(message, signature);
  } catch {
    return false;
  }
}

function readFile(text: string): PrivateKey {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([A-Za-z0-9-]+)\s*:\s*(.*?)\s*$/.exec(line);
    if (match === null) continue;
    const name = match[1].toLowerCase();
    if (fields.has(name)) throw badKey('it has several keys; give the one that the DS record names');
    fields.set(name, match[2]);
  }
  if (!/^v1\./.test(fields.get('private-key-format') ?? ''))
    throw badKey('it is neither a file with "Private-key-format: v1…" nor PKCS #8 in PEM');
  const algorithm = Number.parseInt(fields.get('algorithm') ?? '', 10);
  if (isNewAlgorithm(algorithm))
    return { algorithm, secret: secretOf(Buffer.from(fields.get('privatekey') ?? '', 'base64')) };
  if (isRsaAlgorithm(algorithm)) return { algorithm, secret: rsaSecretOf(fields) };
  throw unsupported(`${algorithm}`, OBSOLETE.get(algorithm));
}

function readPem(text: string, algorithm: number | undefined): PrivateKey {
  const key = loadKey(() => createPrivateKey(text), 'the PEM cannot be read, or is encrypted');
  const kind = key.asymmetricKeyType;
  if (kind === 'rsa') return { algorithm: requireRsa(algorithm), secret: pkcs8Of(key) };
  if (kind === 'ed25519') return { algorithm: ALGORITHM.ED25519, secret: secretOf(scalarOf(key)) };
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (kind === 'ec' && curve === 'prime256v1')
    return { algorithm: ALGORITHM.ECDSAP256SHA256, secret: secretOf(scalarOf(key)) };
  throw unsupported(curve ?? kind ?? '?');
}

function requireRsa(algorithm: number | undefined): RsaAlgorithm {
  if (algorithm !== undefined && isRsaAlgorithm(algorithm)) return algorithm;
  if (algorithm !== undefined) throw badKey(`it is a key of RSA, and the algorithm ${algorithm} is not`);
  throw badKey(
    'PEM does not tell the algorithm of an RSA key; give the one of its DNSKEY record as well, 8 (RSASHA256) or 10 (RSASHA512)',
  );
}

function rsaSecretOf(fields: ReadonlyMap<string, string>): Uint8Array {
  const jwk: JsonWebKey = { kty: 'RSA' };
  for (const [name, field] of Object.entries(RSA_FIELDS)) {
    const bytes = Buffer.from(fields.get(field) ?? '', 'base64');
    if (bytes.length === 0) throw badKey(`the field "${field}" is missing or empty`);
    jwk[name] = bytes.toString('base64url');
  }
  return pkcs8Of(loadKey(() => createPrivateKey({ key: jwk, format: 'jwk' }), 'its numbers are not a key of RSA'));
}

function loadKey(load: () => KeyObject, fault: string): KeyObject {
  try {
    return load();
  } catch {
    throw badKey(fault);
  }
}

// A Buffer could be a view of shared memory.
const pkcs8Of = (key: KeyObject): Uint8Array => Uint8Array.from(key.export({ format: 'der', type: 'pkcs8' }));

const scalarOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');

function secretOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== LENGTH) throw badKey(`the private key has ${bytes.length} bytes in place of ${LENGTH}`);
  return Uint8Array.from(bytes);
}

function unsupported(what: string, obsolete?: string): InvalidError {
  if (obsolete !== undefined)
    return badKey(
      `the algorithm ${what} (${obsolete}) is obsolete, and resolvers stop validating it; replace the key by one of algorithm 13 where the zone is signed now, and import that`,
    );
  return badKey(`the algorithm ${what} cannot sign here; only 8 and 10 (RSA), 13 (ECDSA P-256) and 15 (Ed25519) can`);
}

const badKey = (reason: string): InvalidError =>
  new InvalidError('bad_key', `The private key cannot be imported: ${reason}.`, { pointer: '/private_key' });
