/** The static table (RFC 7541 appendix A). */
import { lineFlags, nameFlags } from '../../exchange/fields.ts';
import { Entry } from './entry.ts';

const LINES = `:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|\
:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|accept-language|\
accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|\
content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|\
if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|\
proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|\
vary|via|www-authenticate`;

/** The first index of the dynamic table (RFC 7541 section 2.3.3). */
export const FIRST_DYNAMIC = 62;

/** Entries by index, from 1. Index 0 is unused. */
export const STATIC_TABLE: readonly Entry[] = ['', ...LINES.split('|')].map((line) => {
  const [, name, value] = /^(\S*) ?(.*)$/.exec(line) as RegExpExecArray;
  const ofName = nameFlags(name);
  return new Entry(name, value, ofName, lineFlags(ofName, value));
});
