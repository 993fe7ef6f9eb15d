/**
 * Encrypts backups with age (age-encryption.org/v1), so that the program "age" can also decrypt
 * them. The identity is derived from the secret key: a holder of secret.key can decrypt.
 */
import { webcrypto } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';
import { StateError } from '../../base/errors.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Encrypted } from './names.ts';

const PURPOSE = 'backup';
const IDENTITY_BYTES = 32;
/** PKCS #8 prefix of an X25519 private key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

type Bytes = AsyncIterable<Uint8Array>;
type WebStream = globalThis.ReadableStream<Uint8Array>;

export interface Encryption {
  readonly recipients: readonly string[];
  readonly about: Encrypted;
}

interface EncryptionSettings {
  readonly encryption: 'key' | 'recipients' | 'none';
  readonly recipients: readonly string[];
}

/** Null: backups are not encrypted. Throws StateError `no_recipients`. */
export async function encryptionOf(
  { encryption, recipients }: EncryptionSettings,
  secrets: Pick<Secrets, 'derive' | 'keyIds'>,
): Promise<Encryption | null> {
  if (encryption === 'none') return null;
  if (encryption === 'recipients') {
    if (recipients.length === 0)
      throw new StateError('no_recipients', 'backup.encryption is "recipients", and backup.recipients is empty.');
    return { recipients, about: { with: 'recipients' } };
  }
  const { identityToRecipient } = await import('age-encryption');
  const own = await identityToRecipient((await identitiesOf(secrets))[0]);
  return { recipients: [own, ...recipients], about: { with: 'key', keyId: secrets.keyIds[0] } };
}

/** Identities of the current secret key and of the previous one, if there is one. */
export function identitiesOf(secrets: Pick<Secrets, 'derive'>): Promise<webcrypto.CryptoKey[]> {
  return Promise.all(
    secrets
      .derive(PURPOSE, IDENTITY_BYTES)
      .map((bytes) =>
        webcrypto.subtle.importKey('pkcs8', Buffer.concat([PKCS8, bytes]), { name: 'X25519' }, true, ['deriveBits']),
      ),
  ) as Promise<webcrypto.CryptoKey[]>;
}

/** Throws StateError `bad_recipient`. */
export async function* encrypted(source: Bytes, recipients: readonly string[]): AsyncGenerator<Uint8Array> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw new StateError('bad_recipient', `${recipient} is not a recipient of age: ${(error as Error).message}.`);
    }
  yield* (await encrypter.encrypt(streamOf(source))) as unknown as Bytes;
}

/** `keyId`: of the secret key that decrypts. Throws StateError `cannot_decrypt`. */
export async function* decrypted(
  source: Bytes,
  identities: readonly (string | webcrypto.CryptoKey)[],
  what: string,
  keyId?: string,
): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  let plain: Bytes;
  try {
    plain = (await decrypter.decrypt(streamOf(source))) as unknown as Bytes;
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError(
      'cannot_decrypt',
      `Cannot decrypt ${what}: ${(error as Error).message}. It needs the secret key${keyId === undefined ? ' with which it was made' : ` ${keyId}`}: add it to secrets.key_file as the second line, from its export, or name the identity of a recipient (--identity FILE).`,
      { cause: error },
    );
  }
  yield* plain;
}

function streamOf(source: Bytes): WebStream {
  return ReadableStream.from(source) as unknown as WebStream;
}
