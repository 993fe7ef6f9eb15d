/**
 * Detects archives and compressed files in a package, by their first or last bytes and their names.
 */

const starts = (bytes: string) => ({ at: 0, bytes: Buffer.from(bytes, 'latin1') });

const FORMATS: readonly { readonly at: number; readonly bytes: Buffer; readonly name: string }[] = [
  { ...starts('PK\x03\x04'), name: 'ZIP' },
  { ...starts('PK\x05\x06'), name: 'ZIP' },
  { ...starts('PK\x07\x08'), name: 'ZIP' },
  { ...starts("7z\xbc\xaf'\x1c"), name: '7-Zip' },
  { ...starts('Rar!\x1a\x07'), name: 'RAR' },
  { ...starts('\x1f\x8b\x08'), name: 'gzip' },
  { ...starts('BZh'), name: 'bzip2' },
  { ...starts('\xfd7zXZ\x00'), name: 'xz' },
  { ...starts('\x28\xb5\x2f\xfd'), name: 'Zstandard' },
  { ...starts('\x04\x22\x4d\x18'), name: 'LZ4' },
  { ...starts('MSCF\x00\x00\x00\x00'), name: 'cabinet' },
  { ...starts('!<arch>\n'), name: 'ar' },
  { ...starts('xar!'), name: 'xar' },
  { at: 257, bytes: Buffer.from('ustar'), name: 'tar' },
];
const ZIP_END = Buffer.from('PK\x05\x06', 'latin1');
const ZIP_END_LENGTH = 22;
/** Maximum length of the comment after a ZIP archive with prepended data. */
const MAX_COMMENT = 1024;
const NAMES = /\.(?:zip|pkg|jar|apk|aab|ipa|xpi|crx|whl|7z|rar|tar|tgz|gz|bz2|xz|zst|br|cab)$/i;

/** Describes the format; undefined: not a known archive. */
export function archiveFormat(path: string, content: Buffer): string | undefined {
  const format = FORMATS.find(({ at, bytes }) => content.subarray(at, at + bytes.length).equals(bytes));
  if (format !== undefined) return `a ${format.name} archive`;
  if (endsAsZip(content)) return 'something else that is a ZIP archive, too, when read from its end';
  return NAMES.test(path) ? 'an archive by its name' : undefined;
}

function endsAsZip(content: Buffer): boolean {
  const at = content.length < ZIP_END_LENGTH ? -1 : content.lastIndexOf(ZIP_END, content.length - ZIP_END_LENGTH);
  if (at < content.length - ZIP_END_LENGTH - MAX_COMMENT || at < 0) return false;
  return at + ZIP_END_LENGTH + content.readUInt16LE(at + 20) === content.length;
}
