/** Bodies that are uploaded, and how large they are. */
import { createCipheriv, createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { depth } from '../../../support/depth.ts';
import { SEED } from '../../../support/seed.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const MB = 1_048_576;

/** Bytes of large uploads; downloads are ten times as large. */
export const UPLOAD_BYTES = depth({ quick: 2, moderate: 10, full: 100 }) * MB;
export const DOWNLOAD_BYTES = UPLOAD_BYTES * 10;

export interface BodyFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

/**
 * Nothing that could be compressed, nor twice the same, and with the same seed the same in every
 * run.
 */
const noise = createCipheriv(
  'aes-128-ctr',
  Buffer.alloc(16, SEED.toString(16).padStart(8, '0'), 'hex'),
  Buffer.alloc(16),
);
export const noiseOf = (bytes: number): Buffer => noise.update(Buffer.alloc(bytes));

/** Of noise; gone at the end of the process. */
export function bodyFile(bytes: number): BodyFile {
  const path = join(temporaryFolder('body'), 'body');
  const hash = createHash('sha256');
  for (let left = bytes; left > 0; left -= MB) {
    const part = noiseOf(Math.min(left, MB));
    hash.update(part);
    appendFileSync(path, part);
  }
  return { path, bytes, hash: hash.digest('hex') };
}
