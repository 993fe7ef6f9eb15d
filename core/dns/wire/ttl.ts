/**
 * Times of zones: TTLs and the SOA's timers, in seconds, as digits or with BIND's units (`1h30m`).
 */

/** RFC 2181 section 8: a TTL has 31 bits. */
export const MAX_TTL = 0x7fffffff;

const UNIT = new Uint32Array(256);
for (const [letter, seconds] of [
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
] as const) {
  UNIT[letter.charCodeAt(0)] = seconds;
  UNIT[letter.toUpperCase().charCodeAt(0)] = seconds;
}

/**
 * Seconds of the text in bytes[start, end), or -1 when it is no time or exceeds MAX_TTL. Makes no
 * strings.
 */
export function readTtl(bytes: Uint8Array, start: number, end: number): number {
  let total = 0;
  let value = 0;
  let digits = 0;
  let units = 0;
  for (let i = start; i < end; i++) {
    const c = bytes[i];
    if (c >= 0x30 && c <= 0x39) {
      value = value * 10 + c - 0x30;
      if (value > MAX_TTL) return -1;
      digits++;
    } else {
      const unit = UNIT[c];
      if (unit === 0 || digits === 0) return -1;
      total += value * unit;
      if (total > MAX_TTL) return -1;
      value = 0;
      digits = 0;
      units++;
    }
  }
  // A number without a unit means seconds only where it stands alone: "1h30" could mean minutes as
  // well.
  if (digits > 0) return units === 0 ? value : -1;
  return units === 0 ? -1 : total;
}

/** The same from text; undefined when it is no time. */
export function parseTtl(text: string): number | undefined {
  if (text.length > 64) return undefined;
  const bytes = Buffer.from(text, 'utf8');
  const seconds = readTtl(bytes, 0, bytes.length);
  return seconds < 0 ? undefined : seconds;
}
