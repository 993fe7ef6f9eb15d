/**
 * Encryption at rest for what must be stored and read again: customers' private keys, replayed answers that hold a token. AES-256-GCM with a
 * random 96-bit nonce (NIST SP 800-38D 8.2.2), which is safe for 2^32 messages under one key.
 *
 * What is sealed: version (1 byte), key id (4 bytes), nonce (12), ciphertext (as long as the plain text), tag (16). Version and key id are
 * authenticated beside the caller's context.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { WaypostError } from './errors.ts';
import { badFile, createPrivateFile, readPrivateFile } from './private-file.ts';

export interface Secrets {
  /**
   * Encrypts under the first key. `context` says what the bytes are and whose, such as `certificate:<domain id>`: what was sealed for one place does
   * not open at another.
   */
  seal(plain: Uint8Array, context: string): Buffer;
  /**
   * The plain bytes, in memory of their own and nowhere else: the caller's to wipe. Throws WaypostError `unsealable` when they were sealed with a key that the file does not hold, for
   * another context, or were changed or cut since.
   */
  unseal(sealed: Uint8Array, context: string): Buffer;
  /** Whether `sealed` waits to be sealed anew under the first key: a rotation is over when none does. */
  isStale(sealed: Uint8Array): boolean;
  /** Whether there is a key that only opens. */
  readonly isRotating: boolean;
  /** Secrets of `length` bytes for a purpose (HKDF, RFC 5869), the same on every node that has the key file: that of the first key, then that of the second if there is one. */
  derive(purpose: string, length: number): readonly Buffer[];
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const KEY = 32;
const KEY_ID = 4;
const HEADER = 1 + KEY_ID;
const NONCE = 12;
const TAG = 16;
/** Current and previous. */
const MAX_KEYS = 2;

interface Key {
  readonly id: Buffer;
  readonly bytes: Buffer;
}

/** Opens AES-256-GCM into memory of its own. Undefined: it is not what was sealed so. */
export type OpenSealed = (
  key: Buffer,
  nonce: Buffer,
  associated: Buffer,
  sealed: Buffer,
  tag: Buffer,
) => Buffer | undefined;

const openSealed: OpenSealed = (key, nonce, associated, sealed, tag) => {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  decipher.setAAD(associated);
  decipher.setAuthTag(tag);
  const plain = decipher.update(sealed);
  try {
    // Of GCM nothing is left to come: `plain` is all, and the only copy that there is.
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return undefined;
  }
};

/**
 * Reads the key file: 32 bytes as base64 or hexadecimal text, and on an optional second line the key before it, which only opens. A file that does not
 * exist is created with a random key, readable by its owner alone. Throws ConfigError `bad_key_file`.
 */
export function openSecrets(keyFile: string, open = openSealed): Secrets {
  return secretsOf(readKeys(keyFile) ?? createKeyFile(keyFile), open);
}

function secretsOf(keys: readonly Key[], open: OpenSealed): Secrets {
  const [current] = keys;
  return {
    seal(plain, context) {
      const header = Buffer.concat([Buffer.of(VERSION), current.id]);
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, current.bytes, nonce, { authTagLength: TAG });
      cipher.setAAD(associated(header, context));
      return Buffer.concat([header, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    unseal(sealed, context) {
      const bytes = view(sealed);
      if (bytes.length < HEADER + NONCE + TAG || bytes[0] !== VERSION) throw unsealable();
      const key = keys.find(({ id }) => id.equals(bytes.subarray(1, HEADER)));
      if (key === undefined) throw unsealable('the key file does not contain its key');
      const end = bytes.length - TAG;
      const plain = open(
        key.bytes,
        bytes.subarray(HEADER, HEADER + NONCE),
        associated(bytes.subarray(0, HEADER), context),
        bytes.subarray(HEADER + NONCE, end),
        bytes.subarray(end),
      );
      if (plain === undefined) throw unsealable();
      return plain;
    },
    isStale: (sealed) => !current.id.equals(view(sealed).subarray(1, HEADER)),
    isRotating: keys.length > 1,
    derive: (purpose, length) =>
      keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', `waypost ${purpose}`, length))),
  };
}

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const associated = (header: Uint8Array, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(context, 'utf8')]);

const unsealable = (why = 'it was changed, truncated, or encrypted for another row'): WaypostError =>
  new WaypostError('unsealable', `Cannot decrypt a stored secret: ${why}.`);

/** Undefined when there is no such file. */
function readKeys(file: string): Key[] | undefined {
  const text = readPrivateFile(file);
  return text === undefined ? undefined : parseKeys(file, text);
}

function parseKeys(file: string, text: string): Key[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0 || lines.length > MAX_KEYS)
    throw badFile(file, 'must contain the key on its first line and, at most, the previous key on its second.');
  const keys = lines.map((line, i) => {
    const bytes = parseKey(line);
    // The line itself is a secret: it is not shown.
    if (bytes === undefined)
      throw badFile(file, `has no valid key on line ${i + 1}; use 32 bytes as base64 or hexadecimal text.`);
    return keyOf(bytes);
  });
  if (keys.length === 2 && keys[0].id.equals(keys[1].id)) throw badFile(file, 'contains the same key twice.');
  return keys;
}

function parseKey(line: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(line)) return Buffer.from(line, 'hex');
  // 32 bytes are 43 digits of base64 and one of padding.
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(line) ? Buffer.from(line, 'base64') : undefined;
}

function keyOf(bytes: Buffer): Key {
  return { bytes, id: createHash('sha256').update(bytes).digest().subarray(0, KEY_ID) };
}

function createKeyFile(file: string): Key[] {
  createPrivateFile(file, `${randomBytes(KEY).toString('base64')}\n`);
  const keys = readKeys(file);
  if (keys === undefined) throw badFile(file, 'was removed while it was being created.');
  return keys;
}
