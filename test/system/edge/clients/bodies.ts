/** Bodies that are uploaded, and how large they are. */
import { createCipheriv, createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEED } from '../../../support/seed.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const MB = 1_048_576;

/** Octets of large uploads; downloads are ten times as large. WAYPOST_BODY_MB: megabytes. */
export const UPLOAD_OCTETS = Number(process.env.WAYPOST_BODY_MB ?? 2) * MB;
export const DOWNLOAD_OCTETS = UPLOAD_OCTETS * 10;

export interface BodyFile {
  readonly path: string;
  readonly octets: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

/** Nothing that could be compressed, nor twice the same, and with the same seed the same in every run. */
const noise = createCipheriv(
  'aes-128-ctr',
  Buffer.alloc(16, SEED.toString(16).padStart(8, '0'), 'hex'),
  Buffer.alloc(16),
);
export const noiseOf = (octets: number): Buffer => noise.update(Buffer.alloc(octets));

/** Of noise; gone at the end of the process. */
export function bodyFile(octets: number): BodyFile {
  const path = join(temporaryFolder('body'), 'body');
  const hash = createHash('sha256');
  for (let left = octets; left > 0; left -= MB) {
    const part = noiseOf(Math.min(left, MB));
    hash.update(part);
    appendFileSync(path, part);
  }
  return { path, octets, hash: hash.digest('hex') };
}
