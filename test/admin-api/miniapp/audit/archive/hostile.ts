/**
 * Archives that are made to be read in more than one way, to lead out of their folder, or to fill a
 * disk; and near to them ones that do nothing wrong.
 */
import { crc32 } from 'node:zlib';
import type { RuleCode } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { extra, mode, type RawEnd, type RawEntry, rawZip, u64, unicodePath } from '../../../../support/raw-zip.ts';
import { BOMBS } from './bombs.ts';
import { file, type HostileArchive, INDEX, PACKED, TEXT, wide, zip } from './hostile-archive.ts';

const CRC = crc32(Buffer.from(TEXT));

const ended = (to: RawEnd): Buffer => rawZip([INDEX, file('a.js')], to);
const end = (what: string, more: RawEnd, codes: readonly RuleCode[], nearMiss?: Buffer): HostileArchive => ({
  what,
  archive: ended(more),
  codes,
  nearMiss: nearMiss ?? ended({}),
});
const entry = (what: string, more: Partial<RawEntry>, codes: readonly RuleCode[], near?: Partial<RawEntry>) => ({
  what,
  archive: zip(file('a.js', more)),
  codes,
  nearMiss: zip(file('a.js', near)),
});
const name = (of: RawEntry['name'], code: RuleCode, near: string, more: Partial<RawEntry> = {}): HostileArchive => ({
  what: `the name ${JSON.stringify(typeof of === 'string' ? of : Buffer.from(of).toString('latin1'))}`,
  archive: zip(file(of, more)),
  codes: [code],
  nearMiss: zip(file(near)),
});
const pair = (a: string, b: string, code: RuleCode, near: string): HostileArchive => ({
  what: `${JSON.stringify(a)} beside ${JSON.stringify(b)}`,
  archive: zip(file(a), b.endsWith('/') ? { name: b } : file(b)),
  codes: [code],
  nearMiss: zip(file(a), file(near)),
});

const END_RECORD = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
const latin1 = Buffer.from('é.js', 'latin1');
const descriptor = (crc: number, size: number): Buffer => {
  const out = Buffer.alloc(12);
  out.writeUInt32LE(crc, 0);
  out.writeUInt32LE(PACKED.length, 4);
  out.writeUInt32LE(size, 8);
  return out;
};
const STRUCTURE: readonly HostileArchive[] = [
  { what: 'nothing', archive: Buffer.alloc(0), codes: ['archive_unreadable'], nearMiss: zip() },
  { what: 'text', archive: Buffer.from(TEXT), codes: ['archive_unreadable'] },
  { what: 'an archive cut off', archive: ended({}).subarray(0, -30), codes: ['archive_unreadable'] },
  end('a comment cut off', { commentLength: 10 }, ['archive_unreadable'], ended({ comment: '0123456789' })),
  { what: 'no entries', archive: rawZip([]), codes: ['archive_empty'], nearMiss: zip() },
  { what: 'junk alone', archive: rawZip([file('.DS_Store')]), codes: ['archive_empty', 'archive_junk'] },
  end(
    'a second end record as its comment',
    { comment: END_RECORD },
    ['archive_ambiguous_end'],
    ended({ comment: 'PK' }),
  ),
  {
    what: 'an archive within the comment of another',
    archive: (() => {
      const inner = rawZip([file('evil.js')]);
      const outer = rawZip([INDEX]);
      const whole = Buffer.concat([outer, inner]);
      whole.writeUInt16LE(inner.length, outer.length - 2);
      return whole;
    })(),
    codes: ['archive_ambiguous_end'],
  },
  end('an end record between the directory and its end', { afterDirectory: END_RECORD }, ['archive_ambiguous_end']),
  end('a directory said to be longer', { size: 1000 }, ['archive_directory_mismatch']),
  end('a directory said to be elsewhere', { start: 3 }, ['archive_prepended_data']),
  end('a directory said to be behind its end', { start: 0xfffff }, ['archive_directory_mismatch']),
  end('fewer entries than it has', { count: 1 }, ['archive_directory_mismatch']),
  end('more entries than it has', { count: 3 }, ['archive_directory_mismatch']),
  entry('another record in the directory', { central: { signature: 0x05054b50 } }, ['archive_directory_mismatch']),
  end('part 2 of an archive', { disk: 1 }, ['archive_multi_disk']),
  end('a directory in part 2', { directoryDisk: 1 }, ['archive_multi_disk']),
  end('entries in other parts', { countOnDisk: 1 }, ['archive_multi_disk']),
  entry('a file in part 2', { disk: 1 }, ['archive_multi_disk']),
  end('ZIP64 that has another count', { zip64: { count: 1 } }, ['archive_zip64_mismatch'], ended({ zip64: {} })),
  end('ZIP64 that has another directory', { zip64: { start: 0 } }, ['archive_zip64_mismatch']),
  end('a ZIP64 record elsewhere', { zip64: { record: 0 } }, ['archive_zip64_mismatch']),
  end('a ZIP64 record past all numbers', { zip64: { record: 2 ** 60 } }, ['archive_zip64_mismatch']),
  end('a ZIP64 record of another length', { zip64: { length: 45 } }, ['archive_zip64_mismatch']),
  end('ZIP64 meant, and none there', { count: 0xffff }, ['archive_zip64_mismatch']),
  end('part 2 by ZIP64', { disk: 0xffff, zip64: { disk: 1 } }, ['archive_multi_disk']),
  entry(
    'sizes meant to be ZIP64',
    { central: { size: 0xffffffff } },
    ['archive_zip64_mismatch'],
    wide(TEXT.length, PACKED.length),
  ),
  entry('a ZIP64 field of more than is asked', { extra: extra(1, u64(TEXT.length)) }, ['archive_zip64_mismatch']),
  entry(
    'a ZIP64 field of less than is asked',
    { size: 0xffffffff, compressedSize: 0xffffffff, extra: extra(1, u64(TEXT.length)) },
    ['archive_zip64_mismatch'],
  ),
  entry('ZIP64 sizes of the local header that differ', { local: wide(1, PACKED.length) }, ['archive_header_mismatch']),
  end('bytes behind it', { suffix: '\0' }, ['archive_trailing_data']),
  end(
    'a script behind it',
    { suffix: '<script>alert(1)</script>' },
    ['archive_trailing_data'],
    ended({ comment: 'x' }),
  ),
  end('a program before it', { prefix: '#!/bin/sh\n' }, ['archive_prepended_data']),
  {
    what: 'a program before it, offsets as without',
    archive: Buffer.concat([Buffer.from('MZ'), ended({})]),
    codes: ['archive_prepended_data'],
  },
  entry('bytes between two files', { before: 'hidden' }, ['archive_hidden_data']),
  end('bytes between files and directory', { beforeDirectory: 'hidden' }, ['archive_hidden_data']),
  {
    what: 'a file that the directory does not have',
    archive: rawZip([file('a.js', { before: rawZip([file('evil.js')]).subarray(0, -22) })]),
    codes: ['archive_prepended_data'],
  },
  end('a comment', { comment: 'made by a packer' }, ['archive_comment']),
  entry('a comment of a file', { comment: 'made by a packer' }, ['archive_comment']),
];

const HEADERS: readonly HostileArchive[] = [
  entry('another name in the local header', { local: { name: 'b.js' } }, ['archive_header_mismatch']),
  entry('other flags in the local header', { local: { flags: 0 } }, ['archive_header_mismatch']),
  entry('another method in the local header', { local: { method: 0 } }, ['archive_header_mismatch']),
  entry('another CRC in the local header', { local: { crc: 1 } }, ['archive_header_mismatch']),
  entry('another size in the local header', { local: { size: 1 } }, ['archive_header_mismatch']),
  entry('another packed size in the local header', { local: { compressedSize: 1 } }, ['archive_header_mismatch']),
  entry(
    'no sizes in the local header, nor behind',
    { local: { size: 0, compressedSize: 0 } },
    ['archive_header_mismatch'],
    { descriptor: true },
  ),
  entry('a local header that is none', { local: { signature: 0 } }, ['archive_header_mismatch']),
  entry('a local header elsewhere', { central: { offset: 7 } }, ['archive_header_mismatch']),
  entry('a local header behind the end', { central: { offset: 0xfffffffe } }, ['archive_header_mismatch']),
  entry(
    'data that extends into the directory',
    { central: { compressedSize: 5000 }, local: { compressedSize: 5000 } },
    ['archive_header_mismatch'],
  ),
  entry('stored data of another size', { method: 0, size: 5, crc: 0 }, ['archive_header_mismatch'], { method: 0 }),
  entry('a data descriptor of another CRC', { descriptor: descriptor(1, TEXT.length) }, ['archive_data_descriptor'], {
    descriptor: descriptor(CRC, TEXT.length),
  }),
  entry('a data descriptor of another size', { descriptor: descriptor(CRC, 1) }, ['archive_data_descriptor']),
  entry('a data descriptor that is missing', { flags: 0x808 }, ['archive_data_descriptor']),
  entry('stored data with a descriptor', { method: 0, descriptor: true }, ['archive_data_descriptor'], {
    descriptor: true,
  }),
  entry('an extra field longer than its room', { extra: Buffer.from([1, 2, 255, 0, 1]) }, ['archive_extra_field'], {
    extra: extra(0x201, Buffer.alloc(9)),
  }),
  entry(
    'an extra field twice',
    { extra: Buffer.concat([extra(0x5455, Buffer.alloc(5)), extra(0x5455, Buffer.alloc(5))]) },
    ['archive_extra_field'],
    { extra: extra(0x5455, Buffer.alloc(5)) },
  ),
  entry('half an extra field, locally', { local: { extra: Buffer.from([1]) } }, ['archive_extra_field']),
  entry('encryption', { flags: 0x801 }, ['archive_encrypted']),
  entry('strong encryption', { flags: 0x841 }, ['archive_encrypted']),
  entry('an encrypted directory', { flags: 0x2800 }, ['archive_encrypted']),
  entry('AES', { method: 99, extra: extra(0x9901, Buffer.from([2, 0, 65, 69, 3, 8, 0])) }, ['archive_encrypted']),
  entry('patched data', { flags: 0x820 }, ['archive_flags'], { flags: 0x806 }),
  entry('deflate64', { method: 9, data: PACKED }, ['archive_method'], { method: 8 }),
  entry('LZMA', { method: 14, data: PACKED }, ['archive_method'], { method: 0 }),
  entry('Zstandard', { method: 93, data: PACKED }, ['archive_method']),
  entry('a wrong CRC', { crc: 1 }, ['archive_crc']),
  entry('a wrong CRC of stored data', { method: 0, crc: 1 }, ['archive_crc'], { method: 0 }),
  entry('data that is not deflated', { data: Buffer.alloc(40, 0xff) }, ['archive_damaged']),
  entry('deflated data that is cut off', { data: PACKED.subarray(0, -5) }, ['archive_damaged']),
  entry('bytes behind the end of deflated data', { data: Buffer.concat([PACKED, Buffer.from('evil')]) }, [
    'archive_damaged',
  ]),
  entry('more than it says', { size: 10 }, ['archive_damaged']),
  entry('less than it says', { size: 10_000 }, ['archive_damaged']),
  entry('a version of the format that is to come', { central: { version: 63 } }, ['archive_version'], { version: 45 }),
];

const KINDS: readonly HostileArchive[] = [
  entry('a symbolic link', { attributes: mode(0o120777), content: '/etc/passwd' }, ['archive_symlink'], {
    attributes: mode(0o100644),
  }),
  entry('a link said to be from DOS', { madeBy: 20, attributes: mode(0o120777) }, ['archive_symlink']),
  entry(
    'a link by its extra field',
    { extra: extra(0x000d, Buffer.concat([Buffer.alloc(12), Buffer.from('/etc')])) },
    ['archive_symlink'],
    { extra: extra(0x000d, Buffer.alloc(12)) },
  ),
  entry(
    'a link by the mode in its extra field',
    { extra: extra(0x756e, Buffer.from([0, 0, 0, 0, 0xff, 0xa1, 0, 0, 0, 0, 0, 0, 0, 0])) },
    ['archive_symlink'],
  ),
  entry(
    'a link by the extra field of its local header alone',
    { local: { extra: extra(0x000d, Buffer.concat([Buffer.alloc(12), Buffer.from('/etc')])) } },
    ['archive_header_mismatch'],
    { local: { extra: extra(0x000d, Buffer.alloc(12)) } },
  ),
  entry(
    'a link by a field that libarchive alone knows',
    { local: { extra: extra(0x6c78, Buffer.from([4, 0, 0, 0xff, 0xa1])) } },
    ['archive_extra_field'],
    { local: { extra: extra(0x6c79, Buffer.from([4, 0, 0, 0xff, 0xa1])) } },
  ),
  entry('a device', { attributes: mode(0o020666) }, ['archive_special_file'], { attributes: mode(0o644) }),
  entry('a pipe', { attributes: mode(0o010666) }, ['archive_special_file']),
  entry('a file that is a folder by its attributes', { attributes: 0x10 }, ['archive_special_file'], {
    attributes: 0x20,
  }),
  entry('the label of a volume', { attributes: 0x08 }, ['archive_special_file']),
  {
    what: 'a folder with content',
    archive: zip(file('a/')),
    codes: ['archive_special_file'],
    nearMiss: zip({ name: 'a/' }, file('a/b')),
  },
];

const NAMES: readonly HostileArchive[] = [
  name('../evil.js', 'archive_path_traversal', 'a..b/evil..js'),
  name('a/../../evil.js', 'archive_path_traversal', 'a/..x/evil.js'),
  name('/etc/passwd', 'archive_path_absolute', 'etc/passwd'),
  name('C:/evil.js', 'archive_path_drive', 'C/evil.js'),
  name('..\\evil.js', 'archive_path_backslash', 'evil.js'),
  name('index.html:evil.js', 'archive_name_characters', 'index.html.js'),
  name('a\0.js', 'archive_name_characters', 'a0.js'),
  name('a\x1b[2J.js', 'archive_name_characters', 'a[2J.js'),
  name('a\u202esj.exe', 'archive_name_characters', 'asj.exe'),
  name('a\u200b.js', 'archive_name_characters', 'a 1.js'),
  name('./a.js', 'archive_path_segment', 'a.js'),
  name('a//b.js', 'archive_path_segment', 'a/b.js'),
  name('a.js.', 'archive_path_segment', 'a.js.x'),
  name('a.js ', 'archive_path_segment', 'a .js'),
  name('', 'archive_path_segment', '_'),
  name('aux.js', 'archive_name_reserved', 'auxiliary.js'),
  name('a/COM1', 'archive_name_reserved', 'a/COM10'),
  name(`${'a'.repeat(100)}/${'b'.repeat(100)}`, 'archive_path_too_long', `${'a'.repeat(100)}/${'b'.repeat(99)}`),
  name(`${'a/'.repeat(17)}b`, 'archive_path_too_deep', `${'a/'.repeat(16)}b`),
  name(latin1, 'archive_name_encoding', 'é.js'),
  name(Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]), 'archive_name_encoding', 'a'),
  name(Buffer.from([0xed, 0xa0, 0x80]), 'archive_name_encoding', 'a'),
  name('é.js', 'archive_name_encoding', 'é.js', { flags: 0 }),
  name('a.js', 'archive_name_ambiguous', 'a.js', { extra: unicodePath('b.js', 'a.js') }),
  name('a.js', 'archive_name_ambiguous', 'a.js', { extra: unicodePath('a.js', 'b.js') }),
  name('a.js', 'archive_header_mismatch', 'a.js', { local: { extra: unicodePath('b.js', 'a.js') } }),
  pair('a.js', 'a.js', 'archive_duplicate_name', 'a/a.js'),
  pair('a.js', 'A.JS', 'archive_name_collision', 'a1.js'),
  pair('é.js', 'e\u0301.js', 'archive_name_collision', 'e.js'),
  pair('straße.js', 'STRASSE.js', 'archive_name_collision', 'strase.js'),
  pair('\u212a.js', 'k.js', 'archive_name_collision', 'x.js'),
  pair('Img/a.png', 'img/b.png', 'archive_name_collision', 'Img/b.png'),
  pair('a', 'a/b.js', 'archive_file_folder_conflict', 'ab/b.js'),
  pair('a', 'A/', 'archive_file_folder_conflict', 'b'),
  {
    what: 'all in one folder',
    archive: rawZip([{ name: 'app/' }, file('app/index.html'), file('app/a.js'), file('__MACOSX/._app')]),
    codes: ['archive_enclosing_folder', 'archive_junk'],
    nearMiss: rawZip([file('app/index.html'), INDEX]),
  },
  {
    what: 'version control',
    archive: zip(file('.git/config'), file('.git/HEAD')),
    codes: ['archive_junk'],
    nearMiss: zip(file('git/config')),
  },
  { what: 'a dot file', archive: zip(file('.env')), codes: ['archive_dot_file'], nearMiss: zip(file('env')) },
];

export const HOSTILE: readonly HostileArchive[] = [...STRUCTURE, ...HEADERS, ...KINDS, ...NAMES, ...BOMBS];
