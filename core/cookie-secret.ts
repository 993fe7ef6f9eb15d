/** The secret of DNS cookies where none is configured: this node's own, so that cookies outlive a restart but mean nothing to other nodes. */
import { randomBytes } from 'node:crypto';
import { badFile, createPrivateFile, readPrivateFile } from './private-file.ts';

/** Bytes of a secret (RFC 9018 section 4.4: a key of SipHash). */
const SECRET = 16;

/**
 * The secrets to make and to know cookies by, the one in use first. Configured ones are 32 hexadecimal digits. Without one for use the file is read, or
 * made with a random one. Throws ConfigError `bad_key_file`.
 */
export function cookieSecrets(file: string, current: string | undefined, previous: string | undefined): Uint8Array[] {
  const first = current === undefined ? openSecret(file) : Buffer.from(current, 'hex');
  return previous === undefined ? [first] : [first, Buffer.from(previous, 'hex')];
}

function openSecret(file: string): Buffer {
  let text = readPrivateFile(file);
  if (text === undefined) {
    createPrivateFile(file, `${randomBytes(SECRET).toString('hex')}\n`);
    text = readPrivateFile(file);
  }
  // The text itself is a secret: it is not shown.
  if (text === undefined || !/^[0-9a-f]{32}\s*$/i.test(text))
    throw badFile(file, 'has no secret for DNS cookies: 32 hexadecimal digits. Remove it to have it made anew.');
  return Buffer.from(text.trim(), 'hex');
}
