/** Contents of records in the spelling of PowerDNS, which some clients compare as text. */
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';

/** A quoted parameter that needs no quotes. */
const QUOTED = /="([^"\\\s]+)"/g;

export function formatContent(type: number, rdata: Uint8Array): string {
  const text = formatRdata(type, rdata);
  return type === TYPE.HTTPS || type === TYPE.SVCB ? text.replace(QUOTED, '=$1') : text;
}

/** Bytes of a string in a TXT record. */
const MAX_STRING = 255;
/** Longer contents are rejected later. */
const MAX_SPLIT = 300_000;
const QUOTED_STRING = /"((?:[^"\\]|\\.)*)"/gs;
/** A byte or a character of a quoted string. */
const UNIT = /\\\d{3}|\\.|[^\\]/gsu;
const ESCAPE = /^\\(\d{3}|[\0-\x7f])$/;

/**
 * Splits long quoted strings of a TXT content. PowerDNS accepts them, for example DKIM keys, and
 * splits them when it answers.
 */
export function splitLongStrings(content: string): string {
  if (content.length > MAX_SPLIT) return content;
  return content.replace(QUOTED_STRING, (whole: string, body: string) => {
    // Each UTF-16 code unit has at most 3 bytes in UTF-8.
    if (body.length * 3 <= MAX_STRING) return whole;
    const parts: string[] = [];
    let part = '';
    let bytes = 0;
    for (const [unit] of body.matchAll(UNIT)) {
      const size = ESCAPE.test(unit) ? 1 : Buffer.byteLength(unit);
      if (bytes + size > MAX_STRING) {
        parts.push(`"${part}"`);
        part = '';
        bytes = 0;
      }
      part += unit;
      bytes += size;
    }
    return [...parts, `"${part}"`].join(' ');
  });
}
