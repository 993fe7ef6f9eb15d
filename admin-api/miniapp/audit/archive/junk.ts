/** What packers and tools leave behind, and no app needs. */

/** Folders and files by their names, in lower case. */
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
/** Left by editors. */
const LEFT_OVER = /(?:~|\.sw[op]|\.orig|\.rej)$/i;

/**
 * The part of a path that is junk with all below it: `assets/.git` of `assets/.git/config`;
 * undefined: none.
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

/** What begins a tag: browsers find it in whatever bytes a page has. */
const TAG = /<[a-z!?/]/i;

/**
 * What macOS puts next to a file for its attributes: `._name`, in a format of its own, whatever the
 * name ends with. With tags in it, it may be a page as well.
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
