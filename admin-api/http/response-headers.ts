/** Drops unsafe response headers: no name or value may end a line or start one (RFC 9110 5.5). */
import type { Logger } from '../../core/base/log/index.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, space and tab: both transports write these bytes unchanged. */
const VALUE = /^[\t -~]*$/;

/** The headers without the unsafe ones. A dropped header is logged, because it is a bug. */
export function safeHeaders(headers: Readonly<Record<string, string>>, log: Logger): Readonly<Record<string, string>> {
  for (const name in headers) if (!isSafe(name, headers[name])) return dropUnsafe(headers, log);
  return headers;
}

const isSafe = (name: string, value: string): boolean => VALUE.test(value) && NAME.test(name);

function dropUnsafe(headers: Readonly<Record<string, string>>, log: Logger): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isSafe(name, value)) safe[name] = value;
    else log.error('response header dropped: invalid name or value', { header: name });
  }
  return safe;
}
