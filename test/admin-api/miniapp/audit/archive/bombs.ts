/** Archives that unpack to far more than they are, or that hold others. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { Random } from '../../../../support/random.ts';
import { type RawEntry, rawZip } from '../../../../support/raw-zip.ts';
import { file, type HostileArchive, PACKED, TEXT, wide, zip } from './hostile-archive.ts';

const MB = 1 << 20;

/** Entries of the directory that all lead to the same data, as in a quine or in an overlap bomb. */
function overlap(count: number): Buffer {
  const zeros = Buffer.alloc(MB);
  const first = { name: 'f0', content: zeros };
  const others = Array.from({ length: count - 1 }, (_, n) => ({
    ...first,
    name: `f${n + 1}`,
    noLocal: true as const,
    offset: 0,
  }));
  return rawZip([first, ...others]);
}

/**
 * A file whose data holds the local header of the next, so that one deflated kernel serves both;
 * and the file alone.
 */
function nested(): { readonly archive: Buffer; readonly nearMiss: Buffer } {
  const inner = rawZip([file('b.js')]);
  const outer = file('a.js', { method: 0, content: inner.subarray(0, inner.length - 22 - 46 - 4) });
  const shared = file('b.js', { noLocal: true, offset: 30 + 4 });
  return { archive: rawZip([outer, shared]), nearMiss: rawZip([outer]) };
}

/** Bytes that hardly get fewer when packed. */
const LARGE = deflateRawSync(new Random(1).bytes(480_000));
const printed = (size: number): Partial<RawEntry> => ({ size, content: 'x'.repeat(3000) });

export const BOMBS: readonly HostileArchive[] = [
  {
    what: 'one file of zeros',
    archive: zip({ name: 'z', content: Buffer.alloc(8 * MB) }),
    codes: ['archive_ratio'],
    nearMiss: zip({ name: 'z', content: Buffer.alloc(MB - 1000) }),
  },
  {
    what: 'many small files of zeros',
    archive: rawZip(Array.from({ length: 40 }, (_, n) => ({ name: `f${n}`, content: Buffer.alloc(200_000) }))),
    codes: ['archive_ratio'],
  },
  { what: '40 entries over one kernel', archive: overlap(40), codes: ['archive_header_mismatch', 'archive_ratio'] },
  { what: 'a file within the data of another', codes: ['archive_overlap'], ...nested() },
  {
    what: 'a file said to be larger than allowed',
    archive: zip(file('z', printed(51 * MB))),
    codes: ['archive_file_too_large'],
    nearMiss: zip(file('z', { content: 'x' })),
  },
  {
    what: 'a file said to be of 4 GB',
    archive: zip(file('z', printed(0xfffffffe))),
    codes: ['archive_file_too_large'],
  },
  {
    what: 'a file said to be of an exabyte',
    archive: zip(file('z', wide(2 ** 60, PACKED.length))),
    codes: ['archive_file_too_large'],
  },
  {
    what: 'files said to be too much together',
    archive: rawZip(Array.from({ length: 5 }, (_, n) => file(`f${n}`, { data: LARGE, size: 45 * MB }))),
    codes: ['archive_content_too_large', 'archive_damaged'],
    nearMiss: rawZip([file('f0', { content: 'x' })]),
  },
  {
    what: 'a file of zeros that says it is small',
    archive: zip({ name: 'z', content: Buffer.alloc(8 * MB), size: 1000 }),
    codes: ['archive_damaged'],
  },
  {
    what: 'too many entries',
    archive: rawZip(Array.from({ length: 10_001 }, (_, n) => ({ name: `f${n}` }))),
    codes: ['archive_too_many_entries'],
    nearMiss: rawZip(Array.from({ length: 10_000 }, (_, n) => ({ name: `f${n}` }))),
  },
  {
    what: 'an archive within it',
    archive: zip({ name: 'data.bin', method: 0, content: zip() }),
    codes: ['archive_nested'],
    nearMiss: zip(file('data.bin')),
  },
  {
    what: 'an archive behind a picture',
    archive: zip({ name: 'a.gif', content: Buffer.concat([Buffer.from('GIF89a'), zip()]) }),
    codes: ['archive_nested'],
  },
  { what: 'a gzipped script', archive: zip({ name: 'a.js', content: gzipSync(TEXT) }), codes: ['archive_nested'] },
  {
    what: 'an archive by its name',
    archive: zip(file('data.tar')),
    codes: ['archive_nested'],
    nearMiss: zip(file('tar.data')),
  },
];
