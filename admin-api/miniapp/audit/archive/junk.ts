/** Detects files that packers and tools leave behind and that no app needs. */

/** Names of junk folders and files, in lower case. */
const JUNK = new Set([
  '__macosx',
  '.ds_store',
  '.appledouble',
  '.spotlight-v100',
  '.trashes',
  'thumbs.db',
  'desktop.ini',
  '.git',
  '.gitignore',
  '.gitattributes',
  '.hg',
  '.svn',
  '.idea',
  '.vscode',
  'node_modules',
]);
/** Backup and swap files of editors, rejected patches. */
const LEFT_OVER = /(?:~|\.sw[op]|\.orig|\.rej)$/i;

/**
 * The topmost junk file or folder in a path: `assets/.git` for `assets/.git/config`; undefined:
 * none.
 */
export function junkIn(path: string): string | undefined {
  for (let start = 0; start < path.length; ) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    const segment = path.slice(start, end);
    if (JUNK.has(segment.toLowerCase()) || LEFT_OVER.test(segment)) return path.slice(0, end);
    start = end + 1;
  }
  return;
}

const APPLE_DOUBLE = 0x00051607;

/** Start of a tag. Browsers find tags in any bytes that they render as a page. */
const TAG = /<[a-z!?/]/i;

/**
 * AppleDouble files `._name`, in which macOS stores file attributes. A file that contains tags does
 * not count, since it may also be a page.
 */
export function isAppleDouble(path: string, content: Buffer): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    name.startsWith('._') &&
    content.length >= 4 &&
    content.readUInt32BE(0) === APPLE_DOUBLE &&
    !TAG.test(content.toString('latin1'))
  );
}
