/**
 * Encryption at rest for secrets that are stored and read again: private keys of customers,
 * replayed responses that contain a token. AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D
 * 8.2.2), which is safe for 2^32 messages per key.
 *
 * Sealed data: version (1 byte), key id (4 bytes), nonce (12), ciphertext (length of the plain
 * text), tag (16). Version and key id are authenticated together with the caller's context.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { WaypostError } from './errors.ts';
import { createPrivateFile, keyFileError, readPrivateFile } from './private-file.ts';

export interface Secrets {
  /**
   * Encrypts with the first key. `context` names the kind of the data and its owner, for example
   * `certificate:<domain id>`. Data cannot be unsealed with another context.
   */
  seal(plain: Uint8Array, context: string): Buffer;
  /**
   * Returns the plain bytes in memory of their own; the caller should wipe it. Throws WaypostError
   * `unsealable` if the key file does not contain the key, the context differs, or the data was
   * changed or truncated.
   */
  unseal(sealed: Uint8Array, context: string): Buffer;
  /**
   * Whether `sealed` was not encrypted with the first key. A rotation is complete when no stored
   * data is stale.
   */
  isStale(sealed: Uint8Array): boolean;
  /** Whether the key file has a second key, which only decrypts. */
  readonly isRotating: boolean;
  /** Ids of the keys in hexadecimal, the first key first. They reveal nothing about the keys. */
  readonly keyIds: readonly string[];
  /**
   * Derives secrets of `length` bytes for a purpose (HKDF, RFC 5869), the same on every node with
   * the key file: one from the first key, then one from the second key, if any.
   */
  derive(purpose: string, length: number): readonly Buffer[];
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const KEY_LENGTH = 32;
const KEY_ID_LENGTH = 4;
const HEADER_LENGTH = 1 + KEY_ID_LENGTH;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
/** The current and the previous key. */
const MAX_KEYS = 2;

interface Key {
  readonly id: Buffer;
  readonly bytes: Buffer;
}

/** Decrypts AES-256-GCM into memory of its own. Undefined: authentication failed. */
export type OpenSealed = (
  key: Buffer,
  nonce: Buffer,
  associated: Buffer,
  sealed: Buffer,
  tag: Buffer,
) => Buffer | undefined;

const openSealed: OpenSealed = (key, nonce, associated, sealed, tag) => {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(associated);
  decipher.setAuthTag(tag);
  const plain = decipher.update(sealed);
  try {
    // GCM returns no further bytes: `plain` is complete, and the only copy.
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return undefined;
  }
};

/**
 * Reads the key file: 32 bytes as base64 or hexadecimal text, and on an optional second line the
 * previous key, which only decrypts. If the file does not exist, it is created with a random key,
 * readable only by its owner. Throws ConfigError `bad_key_file`.
 */
export function openSecrets(keyFile: string, open = openSealed): Secrets {
  return secretsOf(readKeys(keyFile) ?? createKeyFile(keyFile), open);
}

/**
 * The id of the first key, in hexadecimal; undefined if the file does not exist. It reveals nothing
 * about the key. Throws ConfigError `bad_key_file`.
 */
export const secretKeyId = (keyFile: string): string | undefined => readKeys(keyFile)?.[0].id.toString('hex');

/**
 * Checks what openSecrets needs, and creates nothing: a valid file, or a folder in which to create
 * it. Throws ConfigError `bad_key_file`.
 */
export function checkKeyFile(keyFile: string): void {
  if (readKeys(keyFile) !== undefined) return;
  try {
    accessSync(dirname(keyFile), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw keyFileError(keyFile, `cannot be created: ${(error as Error).message}.`, error);
  }
}

function secretsOf(keys: readonly Key[], open: OpenSealed): Secrets {
  const [current] = keys;
  return {
    seal(plain, context) {
      const header = Buffer.concat([Buffer.of(VERSION), current.id]);
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv(CIPHER, current.bytes, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(associatedData(header, context));
      return Buffer.concat([header, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    unseal(sealed, context) {
      const bytes = asBuffer(sealed);
      if (bytes.length < HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH || bytes[0] !== VERSION) throw unsealableError();
      const key = keys.find(({ id }) => id.equals(bytes.subarray(1, HEADER_LENGTH)));
      if (key === undefined) throw unsealableError('the key file does not contain its key');
      const end = bytes.length - TAG_LENGTH;
      const plain = open(
        key.bytes,
        bytes.subarray(HEADER_LENGTH, HEADER_LENGTH + NONCE_LENGTH),
        associatedData(bytes.subarray(0, HEADER_LENGTH), context),
        bytes.subarray(HEADER_LENGTH + NONCE_LENGTH, end),
        bytes.subarray(end),
      );
      if (plain === undefined) throw unsealableError();
      return plain;
    },
    isStale: (sealed) => !current.id.equals(asBuffer(sealed).subarray(1, HEADER_LENGTH)),
    isRotating: keys.length > 1,
    keyIds: keys.map(({ id }) => id.toString('hex')),
    derive: (purpose, length) =>
      keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', `waypost ${purpose}`, length))),
  };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const associatedData = (header: Uint8Array, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(context, 'utf8')]);

const unsealableError = (reason = 'it was changed, truncated, or encrypted for another row'): WaypostError =>
  new WaypostError('unsealable', `Cannot decrypt a stored secret: ${reason}.`);

/** Undefined if the file does not exist. */
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
    throw keyFileError(file, 'must contain the key on its first line and, at most, the previous key on its second.');
  const keys = lines.map((line, i) => {
    const bytes = parseKey(line);
    // The line is a secret, so the error does not contain it.
    if (bytes === undefined)
      throw keyFileError(file, `has no valid key on line ${i + 1}; use 32 bytes as base64 or hexadecimal text.`);
    return keyOf(bytes);
  });
  if (keys.length === 2 && keys[0].id.equals(keys[1].id)) throw keyFileError(file, 'contains the same key twice.');
  return keys;
}

function parseKey(line: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(line)) return Buffer.from(line, 'hex');
  // 32 bytes are 43 digits of base64 and one of padding.
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(line) ? Buffer.from(line, 'base64') : undefined;
}

function keyOf(bytes: Buffer): Key {
  return { bytes, id: createHash('sha256').update(bytes).digest().subarray(0, KEY_ID_LENGTH) };
}

function createKeyFile(file: string): Key[] {
  createPrivateFile(file, `${randomBytes(KEY_LENGTH).toString('base64')}\n`);
  const keys = readKeys(file);
  if (keys === undefined) throw keyFileError(file, 'was removed while it was being created.');
  return keys;
}
