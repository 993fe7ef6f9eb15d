/**
 * Checks single values of the manifest. Each function returns a valid value, or adds a finding and
 * returns undefined.
 */
import type { ObjectReader } from './object-reader.ts';

/**
 * Two or more labels. A label starts with a letter; letters, digits, hyphens (as in domains, and on
 * iOS) and underscores (on Android) follow. Converted to lower case, since domains ignore case and
 * two apps must not differ by it.
 */
const ID = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/;
const LABEL_END = /[a-z0-9]$/;
/** Characters; the maximum of a bundle id on iOS. */
const MAX_ID_LENGTH = 155;
const MAX_LABEL_LENGTH = 63;

export function checkId(manifest: ObjectReader): string | undefined {
  const written = manifest.string('id');
  if (written === undefined) return;
  // Only ASCII: toLowerCase() also maps some other letters to ASCII.
  const id = written.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (isAppId(id)) {
    if (id !== written) manifest.add('manifest_id_case', 'id', `"id" has upper case; the app is ${id}.`);
    return id;
  }
  manifest.add('manifest_id', 'id', '"id" is not the reverse of a domain, as com.example.notes.');
  return;
}

/** Two to four numbers. */
const VERSION = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){1,3}$/;

export function checkVersion(manifest: ObjectReader, key: 'version' | 'minHostVersion'): string | undefined {
  const version = manifest.string(key);
  if (version === undefined || VERSION.test(version)) return version;
  manifest.add('manifest_version', key, `"${key}" has to be two to four numbers with dots between them, as 1.4.0.`);
  return;
}

export function checkVersionCode(manifest: ObjectReader): number | undefined {
  const code = manifest.value('versionCode', 'number')?.value;
  if (code === undefined || (Number.isSafeInteger(code) && code > 0)) return code;
  const message = `"versionCode" has to be an integer from 1 to ${Number.MAX_SAFE_INTEGER}.`;
  manifest.add('manifest_version_code', 'versionCode', message);
  return;
}

/** Code points. */
const MAX_LENGTH = { name: 50, description: 4000, category: 50 };
/**
 * Control characters, bidirectional overrides and isolates, line separators, and lone surrogates.
 * Descriptions may have several lines.
 */
const INVALID_IN_LINE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/u;
const INVALID_IN_LINES = /[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/u;

export function checkText(manifest: ObjectReader, key: keyof typeof MAX_LENGTH): string | undefined {
  const text = manifest.string(key);
  if (text === undefined) return;
  const length = [...text].length;
  const wrong =
    key === 'description' ? INVALID_IN_LINES.test(text.replaceAll(/[\t\n\r]/g, ' ')) : INVALID_IN_LINE.test(text);
  if (wrong)
    manifest.add('manifest_text', key, `"${key}" has control characters, or marks that turn the direction of writing.`);
  else if (text.trim() === '' && key !== 'description') manifest.add('manifest_text', key, `"${key}" is empty.`);
  else if (length > MAX_LENGTH[key])
    manifest.add('manifest_text', key, `"${key}" has ${length} characters; ${MAX_LENGTH[key]} are allowed.`);
  else return text;
  return;
}

/** Whether a text in lower case is a valid app id. */
export const isAppId = (id: string): boolean =>
  id.length <= MAX_ID_LENGTH &&
  ID.test(id) &&
  id.split('.').every((label) => label.length <= MAX_LABEL_LENGTH && LABEL_END.test(label));
