/**
 * Paths of files in a package: what each of the systems that it passes, from the developer's to the
 * phone's, takes for the same file.
 */
import type { RuleCode } from '../rules.ts';
import type { PackageLimits } from './limits.ts';

/** File systems that hold paths in 8 or 16 bits a unit end names at 255. */
const LONGEST_SEGMENT = 255;

/**
 * Controls (Unicode's Cc), what turns the direction of writing, line separators, and what has no
 * width.
 */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u00ad\u200b\u2060\ufeff]/u;
/** Not in names on Windows and FAT, which storage cards have; the colon begins a stream of NTFS. */
const RESERVED_CHARACTERS = /[<>:"|?*]/;
/** Devices of DOS, with whatever extension, and blanks before it. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

interface WrongPath {
  readonly code: RuleCode;
  readonly message: string;
}

/**
 * What is wrong with a path, with `/` between its segments and none at its end; undefined: nothing.
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
    if (Buffer.byteLength(segment) > LONGEST_SEGMENT)
      return wrong('archive_path_too_long', `A name in its path has more than ${LONGEST_SEGMENT} bytes.`);
  }
  const bytes = Buffer.byteLength(path);
  if (bytes > limits.pathBytes)
    return wrong('archive_path_too_long', `Its path has ${bytes} bytes; ${limits.pathBytes} are allowed.`);
  if (segments.length - 1 > limits.depth)
    return wrong('archive_path_too_deep', `It is ${segments.length - 1} folders deep; ${limits.depth} are allowed.`);
  return;
}
