/**
 * Escrow of the secret key, without which the private keys in a backup are lost. A marker in the
 * data folder records the last exported key, for "waypost doctor".
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretKeyId } from '../../base/secrets.ts';
import { writeFileSync } from '../../base/write-file.ts';
import { type Config, secretKeyFile } from '../../config/index.ts';
import { encrypted } from './encryption.ts';

type Placed = Pick<Config, 'secrets' | 'dataDir'>;

/** In the data folder: `{"keyId": …, "at": ISO 8601}`. */
const KEY_EXPORT_MARKER = 'secret-key-exported.json';

/** Whether the current key was exported: never, a different key was, or the time. */
export type KeyExport = 'never' | 'other-key' | { readonly at: string };

/** Throws ConfigError `bad_key_file`. */
export function keyExport(config: Placed): KeyExport {
  let marker: { keyId?: unknown; at?: unknown };
  try {
    marker = JSON.parse(readFileSync(join(config.dataDir, KEY_EXPORT_MARKER), 'utf8'));
  } catch {
    return 'never';
  }
  if (marker.keyId !== secretKeyId(secretKeyFile(config))) return 'other-key';
  return { at: String(marker.at) };
}

/** Throws ConfigError `bad_key_file`. */
export function markKeyExported(config: Placed): void {
  const keyId = secretKeyId(secretKeyFile(config));
  const text = `${JSON.stringify({ keyId, at: new Date().toISOString() })}\n`;
  writeFileSync(join(config.dataDir, KEY_EXPORT_MARKER), text, { mode: 0o600 });
}

/** The key file, encrypted to recipients of age or with a passphrase, as text (armor). */
export async function exportKey(
  text: string,
  protection: { readonly recipients: readonly string[] } | { readonly passphrase: string },
): Promise<string> {
  const { armor, Encrypter } = await import('age-encryption');
  if ('recipients' in protection) {
    const pieces: Uint8Array[] = [];
    for await (const piece of encrypted(only(text), protection.recipients)) pieces.push(piece);
    return armor.encode(Buffer.concat(pieces));
  }
  const encrypter = new Encrypter();
  encrypter.setPassphrase(protection.passphrase);
  return armor.encode(await encrypter.encrypt(text));
}

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Rejects with the error of age if neither an identity nor the passphrase fits. */
export async function importKey(
  armored: string,
  { identities, passphrase }: { readonly identities: readonly string[]; readonly passphrase?: string },
): Promise<string> {
  const { armor, Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
  for (const identity of identities) decrypter.addIdentity(identity);
  return await decrypter.decrypt(armor.decode(armored), 'text');
}
