/** The last gate of what goes into the head of an answer: nothing of it may end a line, or begin another one (RFC 9110 5.5). */
import type { Logger } from '../../core/base/log/index.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, space and tab: what both transports write as it is. */
const VALUE = /^[\t -~]*$/;

/** The headers without those that may not be sent; each is told to the log, since it is a fault of ours. */
export function safeHeaders(headers: Readonly<Record<string, string>>, log: Logger): Readonly<Record<string, string>> {
  for (const name in headers) if (!isSafe(name, headers[name])) return withoutUnsafe(headers, log);
  return headers;
}

const isSafe = (name: string, value: string): boolean => VALUE.test(value) && NAME.test(name);

function withoutUnsafe(headers: Readonly<Record<string, string>>, log: Logger): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isSafe(name, value)) safe[name] = value;
    else log.error('response header dropped: invalid name or value', { header: name });
  }
  return safe;
}
