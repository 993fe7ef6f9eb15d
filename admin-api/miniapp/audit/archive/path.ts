/**
 * Checks paths of files in a package. A path must denote the same file on every system, from the
 * developer's computer to the phone.
 */
import type { RuleCode } from '../rules.ts';
import type { PackageLimits } from './limits.ts';

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

interface WrongPath {
  readonly code: RuleCode;
  readonly message: string;
}

/**
 * Returns the fault of a path, or undefined. Segments are separated by `/`, without a trailing
 * slash.
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
