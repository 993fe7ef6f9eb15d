/**
 * Checks that entries follow each other from the first byte to the directory, without overlaps or
 * gaps.
 */
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import { descriptorFits, type Extent } from './local-header.ts';

export interface Placed extends Extent {
  readonly entry: Entry;
  readonly shown: string;
}

/**
 * Returns the entries without faults. `complete`: no entry is missing, so a gap belongs to no
 * entry.
 */
export function checkLayout(
  bytes: Buffer,
  placed: readonly Placed[],
  complete: boolean,
  directoryStart: number,
  findings: Findings,
): ReadonlySet<Placed> {
  const sound = new Set(placed);
  const inOrder = placed.toSorted((a, b) => a.entry.offset - b.entry.offset || a.dataEnd - b.dataEnd);
  const first = inOrder[0]?.entry.offset ?? directoryStart;
  if (complete && first > 0) findings.add('archive_prepended_data', PACKAGE, `${first} bytes precede the first file.`);
  // The previous entry with the highest end, since entries may contain each other.
  let farthest: Placed | undefined;
  for (const [n, located] of inOrder.entries()) {
    if (farthest !== undefined && located.entry.offset < farthest.dataEnd) {
      sound.delete(located);
      sound.delete(farthest);
      findings.add(
        'archive_overlap',
        wholeFile(located.shown),
        `It shares bytes of the archive with ${farthest.shown}.`,
      );
    }
    if (farthest === undefined || located.dataEnd >= farthest.dataEnd) farthest = located;
    const next = inOrder[n + 1]?.entry.offset ?? directoryStart;
    // The next iteration reports the overlap.
    if (farthest !== located || next < located.dataEnd) continue;
    const gap = bytes.subarray(located.dataEnd, next);
    if (descriptorFits(gap, located.entry)) continue;
    if ((located.entry.flags & 8) !== 0) {
      sound.delete(located);
      findings.add(
        'archive_data_descriptor',
        wholeFile(located.shown),
        'No data descriptor with the sizes and the CRC of the directory follows its data.',
      );
    } else if (complete)
      findings.add('archive_hidden_data', wholeFile(located.shown), `${gap.length} bytes behind it belong to no file.`);
  }
  return sound;
}
