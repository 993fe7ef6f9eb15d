/**
 * Single values of the manifest. Each function gives the value as far as it can be used, and
 * undefined otherwise, which is a finding then.
 */
import type { ObjectReader } from './object-reader.ts';

/**
 * Two labels or more, each a letter and then letters, digits, hyphens (as in domains, and on iOS)
 * or underscores (on Android). Read in lower case, since a domain is the same in either and two
 * apps must not differ by that.
 */
const ID = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/;
const LABEL_ENDS_WELL = /[a-z0-9]$/;
/** Characters: iOS takes no longer bundle id. */
const LONGEST_ID = 155;
const LONGEST_LABEL = 63;

export function checkId(manifest: ObjectReader): string | undefined {
  const written = manifest.string('id');
  if (written === undefined) return;
  // Letters of ASCII alone: others become letters of ASCII, too.
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

/** Characters, as many as people count where none is put together of several. */
const LONGEST = { name: 50, description: 4000, category: 50 };
/**
 * Controls, what overrides the direction of writing beyond the text itself, and halves of
 * characters. A description may have lines.
 */
const NOT_IN_TEXT = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/u;
const NOT_IN_LINES = /[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/u;

export function checkText(manifest: ObjectReader, key: keyof typeof LONGEST): string | undefined {
  const text = manifest.string(key);
  if (text === undefined) return;
  const length = [...text].length;
  const wrong = key === 'description' ? NOT_IN_LINES.test(text.replaceAll(/[\t\n\r]/g, ' ')) : NOT_IN_TEXT.test(text);
  if (wrong)
    manifest.add('manifest_text', key, `"${key}" has control characters, or marks that turn the direction of writing.`);
  else if (text.trim() === '' && key !== 'description') manifest.add('manifest_text', key, `"${key}" is empty.`);
  else if (length > LONGEST[key])
    manifest.add('manifest_text', key, `"${key}" has ${length} characters; ${LONGEST[key]} are allowed.`);
  else return text;
  return;
}

/** Whether a text in lower case can be the id of an app. */
export const isAppId = (id: string): boolean =>
  id.length <= LONGEST_ID &&
  ID.test(id) &&
  id.split('.').every((label) => label.length <= LONGEST_LABEL && LABEL_ENDS_WELL.test(label));
