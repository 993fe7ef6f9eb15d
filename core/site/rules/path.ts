/**
 * The path that rules match. Servers treat several spellings of a path alike, so a rule for
 * `/admin` must also match `/%61dmin`, `//admin` and `/x/../admin`.
 */

const MAY_DIFFER = /[%\\]|\/[/.]/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
/** All spellings of slashes that count as one. */
const SLASHES = /((?:[/\\]|%2F|%5C)+)/i;
const CHARACTER = /%[0-9A-Fa-f]{2}|./s;
const CHARACTERS = new RegExp(CHARACTER, 'gs');

/**
 * The path without the query. Decodes escapes of printable ASCII except "%" once, turns backslashes
 * into slashes, and merges slashes. Resolves dot segments (RFC 3986 section 5.2.4).
 */
export function normalPath(path: string): string {
  const raw = rawPath(path);
  if (!MAY_DIFFER.test(raw)) return raw;
  const parts = resolvedParts(raw);
  let normal = '';
  for (let i = 0; i < parts.length; i += 2) normal += `/${decode(parts[i + 1])}`;
  return normal;
}

/** The path without the query, as received. */
export function rawPath(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

const decode = (text: string): string => text.replace(ESCAPE, decodeEscape);

function decodeEscape(escaped: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code >= 0x20 && code < 0x7f && code !== 0x25 ? String.fromCharCode(code) : escaped.toUpperCase();
}

/** The slashes before each segment, and the segment, as received and without dot segments. */
function resolvedParts(raw: string): string[] {
  const all = raw.split(SLASHES);
  const parts: string[] = [];
  for (let i = 1; i < all.length; i += 2) {
    const segment = decode(all[i + 1]);
    if (segment === '..') parts.splice(-2);
    if (segment !== '.' && segment !== '..') parts.push(all[i], all[i + 1]);
    // "/a/." and "/a/.." end in a slash.
    else if (i + 2 === all.length) parts.push(all[i], '');
  }
  return parts;
}

/**
 * A path with the spelling of each character. An escaped and an unescaped reserved character differ
 * for origins (RFC 3986 section 2.2), so what a rule captures keeps the spelling.
 */
export class SpelledPath {
  readonly normal: string;
  /** By character of `normal`: its text as received; of merged slashes, all of them. */
  readonly #spellings: string | readonly string[];

  constructor(target: string) {
    const raw = rawPath(target);
    this.normal = normalPath(raw);
    this.#spellings = MAY_DIFFER.test(raw) ? spellingsOf(resolvedParts(raw)) : raw;
  }

  /** The received text of a part of `normal`, with escapes where a URL needs them. */
  slice(from: number, to: number): string {
    const spelled = this.#spellings.slice(from, to);
    return escapePath(typeof spelled === 'string' ? spelled : spelled.join(''));
  }

  /** The received text behind a prefix of `normal`: of slashes, the prefix has the first. */
  after(prefix: string): string {
    const rest = this.slice(prefix.length, this.normal.length);
    return prefix.endsWith('/') ? escapePath(this.#spellings[prefix.length - 1].replace(CHARACTER, '')) + rest : rest;
  }
}

function spellingsOf(parts: readonly string[]): string[] {
  const spellings: string[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    spellings.push(parts[i]);
    for (const character of parts[i + 1].match(CHARACTERS) ?? [])
      if (decode(character).length === 1) spellings.push(character);
      else spellings.push(...character);
  }
  return spellings;
}

/** Escapes characters that a path must not contain (RFC 3986 appendix A), but for brackets. */
const escapePath = (path: string): string =>
  path.replace(
    /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
