/** Whom the edge believes what they say of their clients: proxies in front of it that the operator names. */
import { contains, parseAddress, parsePrefix } from '../../core/address/index.ts';

/** Answers that are remembered; visitors come again. */
const MOST_KNOWN = 4096;

/** Whether an address is within one of these prefixes, in canonical form. */
export function trustOf(prefixes: readonly string[]): (address: string) => boolean {
  if (prefixes.length === 0) return () => false;
  const parsed = prefixes.map((text) => parsePrefix(text));
  const known = new Map<string, boolean>();
  return (text) => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const address = parseAddress(text);
    const isTrusted = address !== undefined && parsed.some((prefix) => contains(prefix, address));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, isTrusted);
    return isTrusted;
  };
}
