/** Checks the paths of a package, each by itself and all together, and skips junk of systems. */
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import type { RuleCode } from '../rules.ts';
import type { PackageLimits } from './limits.ts';
import { shown } from './shown.ts';

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

const APPLE_DOUBLE = 0x00051607;

/** Start of a tag. Browsers find tags in any bytes that they render as a page. */
const TAG = /<[a-z!?/]/i;

/** Bytes. File systems with 8-bit or 16-bit units limit names to 255 units. */
const MAX_SEGMENT_BYTES = 255;

/** Control characters (Cc), bidirectional controls, line separators, and zero-width characters. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u00ad\u200b\u2060\ufeff]/u;
/**
 * Not allowed in names on Windows and FAT, the format of storage cards. On NTFS a colon starts a
 * stream name.
 */
const RESERVED_CHARACTERS = /[<>:"|?*]/;
/** DOS device names, with any extension and spaces before it. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

export class Names {
  readonly #paths: PathSet;
  readonly #junk = new Set<string>();
  /** First segments of paths that are not junk; undefined for files in the root. */
  readonly #tops = new Set<string | undefined>();

  constructor(
    private readonly limits: PackageLimits,
    private readonly findings: Findings,
  ) {
    this.#paths = new PathSet(findings);
  }

  /** False: the path is not valid in a package; a finding is added. */
  accept(path: string, folder: boolean): boolean {
    const wrong = wrongPath(path, this.limits);
    if (wrong !== undefined) {
      this.findings.add(wrong.code, wholeFile(shown(path)), wrong.message);
      return false;
    }
    if (!this.#paths.add(path, folder)) return false;
    if (this.isJunk(path)) return true;
    const slash = path.indexOf('/');
    this.#tops.add(slash < 0 && !folder ? undefined : path.slice(0, slash < 0 ? path.length : slash));
    if (!folder && /(?:^|\/)\./.test(path))
      this.findings.add(
        'archive_dot_file',
        wholeFile(shown(path)),
        'Its name begins with a dot, or its folder’s does.',
      );
    return true;
  }

  /** Adds one finding per junk folder. */
  isJunk(path: string): boolean {
    const junk = junkIn(path);
    if (junk === undefined) return false;
    if (!this.#junk.has(junk)) {
      this.#junk.add(junk);
      this.findings.add('archive_junk', wholeFile(shown(junk)), `${shown(junk)} is of no use to the app.`);
    }
    return true;
  }

  /** Adds findings that need all names. Call it after the last `accept`. */
  finish(): void {
    const [top] = this.#tops;
    if (this.#tops.size === 0) this.findings.add('archive_empty', PACKAGE, 'There is no file in the package.');
    if (this.#tops.size !== 1 || top === undefined) return;
    const folder = shown(top);
    this.findings.add(
      'archive_enclosing_folder',
      PACKAGE,
      `Everything is in the folder ${folder}; the package has to have index.html and manifest.json in its root.`,
      `Pack from inside the folder: cd ${folder} && zip -r ../app.pkg . (or: waypost pkg pack ${folder})`,
    );
  }
}

interface Known {
  readonly path: string;
  readonly folder: boolean;
  /** The archive has an entry for it; it is not only the parent of an entry. */
  readonly named: boolean;
}

/**
 * Key that is equal for names that a file system may treat as equal: without case, or with
 * normalized accents. Upper case is applied twice, because ẞ becomes SS only by way of ß.
 */
const folded = (path: string): string =>
  path.normalize('NFD').toUpperCase().toLowerCase().toUpperCase().normalize('NFC');

/**
 * The set of paths in a package. Rejects duplicates, paths that differ only by case or accent
 * encoding, and a file at the path of a folder.
 */
class PathSet {
  readonly #known = new Map<string, Known>();

  constructor(private readonly findings: Findings) {}

  /** False: the path conflicts with another; a finding is added. `path` has no trailing slash. */
  add(path: string, folder: boolean): boolean {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      if (!this.#put({ path: path.slice(0, slash), folder: true, named: false }, path)) return false;
    return this.#put({ path, folder, named: true }, path);
  }

  #put(entry: Known, of: string): boolean {
    const key = folded(entry.path);
    const before = this.#known.get(key);
    if (before === undefined) {
      this.#known.set(key, entry);
      return true;
    }
    const at = wholeFile(shown(of));
    if (before.folder !== entry.folder)
      this.findings.add('archive_file_folder_conflict', at, `${shown(entry.path)} is a file and a folder, too.`);
    else if (before.path !== entry.path)
      this.findings.add(
        'archive_name_collision',
        at,
        `${shown(entry.path)} and ${shown(before.path)} are the same name on systems that do not tell case or accents apart.`,
      );
    else if (before.named && entry.named)
      this.findings.add('archive_duplicate_name', at, 'The archive has this name twice.');
    else {
      if (entry.named) this.#known.set(key, entry);
      return true;
    }
    return false;
  }
}

interface WrongPath {
  readonly code: RuleCode;
  readonly message: string;
}

/**
 * Checks paths of files in a package. A path must denote the same file on every system, from the
 * developer's computer to the phone. Returns the fault of a path, or undefined. Segments are
 * separated by `/`, without a trailing slash.
 */
export function wrongPath(path: string, limits: PackageLimits): WrongPath | undefined {
  const wrong = (code: RuleCode, message: string): WrongPath => ({ code, message });
  const segments = path.split('/');
  if (UNSEEN.test(path)) return wrong('archive_name_characters', 'Its name has a character that cannot be seen.');
  if (path.includes('\\'))
    return wrong('archive_path_backslash', 'Its name has a backslash, which some systems take for a separator.');
  if (path.startsWith('/')) return wrong('archive_path_absolute', 'Its path is absolute.');
  if (/^[a-z]:/i.test(path)) return wrong('archive_path_drive', 'Its path begins with the letter of a drive.');
  if (segments.includes('..')) return wrong('archive_path_traversal', 'Its path leads out of the package, by `..`.');
  if (RESERVED_CHARACTERS.test(path))
    return wrong('archive_name_characters', 'Its name has a character that Windows and storage cards do not allow.');
  for (const segment of segments) {
    if (segment === '' || segment === '.')
      return wrong('archive_path_segment', 'Its path has a segment that is empty or a dot.');
    if (/[. ]$|^ /.test(segment))
      return wrong('archive_path_segment', 'A name in its path begins with a blank, or ends with a blank or a dot.');
    if (DEVICE.test(segment)) return wrong('archive_name_reserved', `On Windows "${segment}" is the name of a device.`);
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return wrong('archive_path_too_long', `A name in its path has more than ${MAX_SEGMENT_BYTES} bytes.`);
  }
  const bytes = Buffer.byteLength(path);
  if (bytes > limits.pathBytes)
    return wrong('archive_path_too_long', `Its path has ${bytes} bytes; ${limits.pathBytes} are allowed.`);
  if (segments.length - 1 > limits.depth)
    return wrong('archive_path_too_deep', `It is ${segments.length - 1} folders deep; ${limits.depth} are allowed.`);
  return;
}

/**
 * Detects files that packers and tools leave behind and that no app needs. The topmost junk file or
 * folder in a path: `assets/.git` for `assets/.git/config`; undefined: none.
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
