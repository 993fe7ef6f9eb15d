/**
 * Packs a package reproducibly: sorted paths, one timestamp, one mode, one level of deflate.
 * Deflated bytes may still differ with another release of Node's zlib or another processor.
 */
import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { writeFile } from '../../../../core/base/write-file.ts';
import type { PackageContent } from '../content.ts';
import { type Findings, PACKAGE } from '../findings.ts';
import type { PackageLimits } from './limits.ts';
import { openArchiveBytes } from './open-archive.ts';

const LEVEL = 9;
const MODE = 0o100644;

export interface Written {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * Undefined: a file is unreadable, or the audit would reject the archive. Nothing is written then,
 * and a finding has the reason. Throws file system errors.
 */
export async function writeArchive(
  content: PackageContent,
  path: string,
  limits: PackageLimits,
  findings: Findings,
): Promise<Written | undefined> {
  const bytes = await pack(content);
  if (bytes === undefined) return;
  if (bytes.length > limits.archiveBytes) {
    const message = `The archive would have ${bytes.length} bytes; ${limits.archiveBytes} are allowed.`;
    findings.add('archive_too_large', PACKAGE, message);
    return;
  }
  const before = findings.summary().errors;
  await openArchiveBytes(bytes, limits, findings);
  if (findings.summary().errors > before) return;
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, bytes, { flush: true });
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function pack({ files }: PackageContent): Promise<Buffer | undefined> {
  // The earliest DOS timestamp. DOS timestamps are in local time, so the time zone does not matter.
  const mtime = new Date(1980, 0, 1);
  const zip = new ZipFile();
  const written = buffer(zip.outputStream);
  for (const path of [...files.keys()].sort()) {
    const content = await files.get(path)?.read();
    if (content === undefined) return;
    const compress = deflateRawSync(content, { level: LEVEL }).length < content.length;
    zip.addBuffer(content, path, {
      mtime,
      forceDosTimestamp: true,
      mode: MODE,
      compress,
      compressionLevel: compress ? LEVEL : 0,
    });
  }
  zip.end();
  return written;
}
