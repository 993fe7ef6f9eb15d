/**
 * The host of an origin, from what a customer wrote. An address has one family of spellings here:
 * dotted decimal, or IPv6 in hexadecimal. What some resolver might read as an address in another
 * spelling is read as that address, too, in order to say which one it means, and is refused.
 */
import { type Exemptions, mayConnect, NO_EXEMPTIONS } from './classify.ts';
import { fold } from './fold.ts';
import { readHostName } from './host-name.ts';
import { readDecimalParts, readInetAton } from './inet-aton.ts';
import { formatAddress, parseAddress } from './prefix.ts';
import { invalidOrigin, privateOrigin, quote } from './refuse.ts';

export type Host =
  | {
      readonly kind: 'address';
      /** 4 or 16. */
      readonly bytes: Uint8Array;
      /** Dotted decimal, or RFC 5952 without brackets. */
      readonly canonical: string;
    }
  | {
      readonly kind: 'name';
      /** A-labels in lower case, without the last dot. */
      readonly name: string;
    };

/**
 * Address or host name. The address is not judged here (`mayConnect` does that), unless it is in
 * another spelling than ours. `exemptions` are the operator's: with any, names of local use are
 * taken.
 *
 * Throws InvalidError with the pointer `/origin`: `invalid_origin` for what is no host (URL, port,
 * blanks, bad labels) or a public address in another spelling, `private_origin` for a name of
 * special use (RFC 6761), one label alone, or another spelling of an address that is not public.
 */
export function readHost(text: string, exemptions: Exemptions = NO_EXEMPTIONS): Host {
  const plain = readPlain(text);
  if (plain !== undefined) return { kind: 'address', bytes: plain, canonical: formatAddress(plain) };
  const folded = fold(text);
  refuseParts(folded.text, text);
  const inner = folded.text.replace(/[[\]]/g, '');
  const readings = inner.includes(':') ? readOddIPv6(inner, text) : readOddIPv4(inner);
  if (readings.length > 0) refuseSpelling(text, readings, exemptions);
  const name = readHostName(folded.text, text, exemptions);
  if (folded.escaped) invalidOrigin(text, `has percent escapes; write it plainly, as ${quote(name)}`);
  return { kind: 'name', name };
}

/** Our spellings: dotted decimal, IPv6 in pure hexadecimal with or without brackets. */
function readPlain(text: string): Uint8Array | undefined {
  const bracketed = text.startsWith('[') && text.endsWith(']');
  const inner = bracketed ? text.slice(1, -1) : text;
  const v6 = inner.includes(':');
  return (bracketed && !v6) || (v6 && inner.includes('.')) ? undefined : parseAddress(inner);
}

/** Parts of a URL around the host. */
function refuseParts(host: string, text: string): void {
  const alone = 'use the host only';
  if (/^[^/\\]*:[/\\]{2}|^[/\\]{2}/.test(host))
    invalidOrigin(text, `is a URL; ${alone}, and set "protocol" and "port"`);
  if (host.includes('@')) invalidOrigin(text, `has credentials ("@"); ${alone}`);
  if (/[/\\]/.test(host)) invalidOrigin(text, `has a path or a prefix length; ${alone}`);
  if (/[?#]/.test(host)) invalidOrigin(text, `has a query or a fragment; ${alone}`);
  if (/^(\[.*\]|[^:]+):[^:]*$/.test(host))
    invalidOrigin(text, `has a port or a scheme; ${alone}, and set "port" and "protocol"`);
}

/**
 * Zone ids, embedded dotted decimal (in any spelling), unbalanced brackets, a last dot. There is no
 * name with a colon: throws when it is no address.
 */
function readOddIPv6(host: string, text: string): Uint8Array[] {
  const [address] = host.split('%');
  const colon = address.lastIndexOf(':') + 1;
  const tail = address.slice(colon).replace(/\.$/, '');
  const ipv4 = tail.includes('.') ? readInetAton(tail) : undefined;
  const bytes = parseAddress(address.slice(0, colon) + (ipv4 === undefined ? tail : formatAddress(ipv4)));
  return [bytes ?? invalidOrigin(text, 'is not an IPv6 address')];
}

/** What inet_aton reads, and what those read that take leading zeros as decimal. */
function readOddIPv4(host: string): Uint8Array[] {
  const undotted = host.replace(/\.$/, '');
  const readings = [readInetAton(undotted), readDecimalParts(undotted)].filter((bytes) => bytes !== undefined);
  return readings.filter((bytes, i) => i === 0 || formatAddress(bytes) !== formatAddress(readings[0]));
}

function refuseSpelling(text: string, readings: readonly Uint8Array[], exemptions: Exemptions): never {
  const meant = readings.map(formatAddress);
  const means = `is another spelling of ${meant.join(' or ')}`;
  for (const [i, bytes] of readings.entries()) {
    const verdict = mayConnect(bytes, exemptions);
    if (verdict.public) continue;
    // `::ffff:127.0.0.1` is how RFC 5952 itself writes a mapped address.
    if (meant[i] === text.toLowerCase()) privateOrigin(quote(text), verdict.reason);
    privateOrigin(quote(text), `${means}: ${meant[i]} ${verdict.reason}`);
  }
  return invalidOrigin(text, `${means}; use that form of the address`);
}
