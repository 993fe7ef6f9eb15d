/**
 * Checks that a second reader, yauzl, finds the same entries at the same offsets. An archive that
 * two readers read differently may be made to bypass one of them.
 */
import { fromBufferPromise } from 'yauzl';
import { type Findings, PACKAGE } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import type { Placed } from './layout.ts';

/**
 * `bytes`: the archive without trailing data, which yauzl treats as damage. `placed`: entries with
 * their local headers, in directory order.
 */
export async function checkAgreement(
  bytes: Buffer,
  entries: readonly Entry[],
  placed: readonly Placed[],
  findings: Findings,
): Promise<boolean> {
  try {
    // Names are compared as bytes. Other modules check names and sizes.
    const other = await fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: false });
    const byEntry = new Map(placed.map((located) => [located.entry, located]));
    let n = 0;
    for await (const theirs of other.eachEntry()) {
      const ours = entries[n++];
      const same =
        ours?.name.equals(theirs.fileNameRaw) &&
        ours.method === theirs.compressionMethod &&
        ours.crc === theirs.crc32 &&
        ours.size === theirs.uncompressedSize &&
        ours.compressedSize === theirs.compressedSize &&
        ours.offset === theirs.relativeOffsetOfLocalHeader;
      const where = ours === undefined ? undefined : byEntry.get(ours)?.dataStart;
      const header =
        where === undefined ? undefined : await other.readLocalFileHeaderPromise(theirs, { minimal: true });
      if (!same || header?.fileDataStart !== where) return disagree(findings, `on file ${n} of the directory`);
    }
    return n === entries.length || disagree(findings, 'on the number of files');
  } catch (error) {
    return disagree(findings, `since one reads: ${(error as Error).message}`);
  }
}

function disagree(findings: Findings, about: string): false {
  findings.add('archive_unreadable', PACKAGE, `Two readers do not agree on this archive, ${about}.`);
  return false;
}
