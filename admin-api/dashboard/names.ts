/** Converts domain names from A-labels to Unicode for display. */

const PREFIX = 'xn--';

/** The name in Unicode. Unchanged if no label can be decoded. */
export function toUnicode(name: string): string {
  if (!name.includes(PREFIX)) return name;
  return name.split('.').map(decodeLabel).join('.');
}

function decodeLabel(label: string): string {
  if (!label.startsWith(PREFIX)) return label;
  const decoded = decodePunycode(label.slice(PREFIX.length));
  // An A-label must decode to non-ASCII text (RFC 5890 section 2.3.2.1).
  return decoded !== null && /[^\0-\x7f]/.test(decoded) ? decoded : label;
}

// Parameters of RFC 3492 section 5.
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 128;
const MAX_CODE_POINT = 0x10ffff;

/** Null: not valid Punycode (RFC 3492 section 6.2). */
function decodePunycode(text: string): string | null {
  const delimiter = text.lastIndexOf('-');
  const output = delimiter < 0 ? [] : [...text.slice(0, delimiter)].map((letter) => letter.codePointAt(0)!);
  let codePoint = INITIAL_CODE_POINT;
  let bias = INITIAL_BIAS;
  let index = 0;
  for (let at = delimiter + 1; at < text.length; ) {
    const start = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text[at++]);
      if (digit === null) return null;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > MAX_CODE_POINT) return null;
    }
    const length = output.length + 1;
    bias = adapt(index - start, length, start === 0);
    codePoint += Math.floor(index / length);
    index %= length;
    if (codePoint > MAX_CODE_POINT || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return null;
    output.splice(index++, 0, codePoint);
  }
  return String.fromCodePoint(...output);
}

function digitOf(letter: string | undefined): number | null {
  if (letter === undefined) return null;
  if (/^[a-z]$/i.test(letter)) return letter.toLowerCase().charCodeAt(0) - 97;
  return /^[0-9]$/.test(letter) ? Number(letter) + 26 : null;
}

function adapt(difference: number, length: number, isFirst: boolean): number {
  let delta = isFirst ? Math.floor(difference / DAMP) : difference >> 1;
  delta += Math.floor(delta / length);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

/** The name in Unicode, followed by its A-labels in brackets if it has any. */
export function toBothForms(name: string): string {
  const unicode = toUnicode(name);
  return unicode === name ? name : `${unicode} (${name})`;
}
