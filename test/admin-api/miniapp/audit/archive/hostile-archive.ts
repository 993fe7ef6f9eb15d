/** What hostile archives are made of. */
import { deflateRawSync } from 'node:zlib';
import type { RuleCode } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { extra, type RawEntry, rawZip, u64 } from '../../../../support/raw-zip.ts';

export interface HostileArchive {
  readonly what: string;
  readonly archive: Buffer;
  /** All codes that are found, each once; the first is what it is about. */
  readonly codes: readonly RuleCode[];
  /** Has none of the codes. */
  readonly nearMiss?: Buffer;
}

export const TEXT = 'A line of text.\n'.repeat(20);
export const PACKED = deflateRawSync(Buffer.from(TEXT));

export const file = (name: RawEntry['name'], more: Partial<RawEntry> = {}): RawEntry => ({
  name,
  content: TEXT,
  ...more,
});
export const INDEX = file('index.html');
/** Sound but for what the entries are. */
export const zip = (...entries: readonly RawEntry[]): Buffer => rawZip([INDEX, ...entries]);

/** Both sizes of an entry in its ZIP64 field. */
export const wide = (size: number, compressed: number): Partial<RawEntry> => ({
  size: 0xffffffff,
  compressedSize: 0xffffffff,
  extra: extra(1, Buffer.concat([u64(size), u64(compressed)])),
});
