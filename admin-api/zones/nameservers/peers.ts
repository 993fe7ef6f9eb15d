/** Checks the addresses of the secondaries of a zone. */
import { InvalidError } from '../../../core/base/errors.ts';
import {
  addressAdvice,
  classifyAddress,
  parseAddress,
  parsePrefix,
  unmapped,
} from '../../../core/net/address/index.ts';

/** Minimum prefix length by address size in bytes: transfers cost more than queries. */
const MIN_PREFIX_BITS: ReadonlyMap<number, number> = new Map([
  [4, 16],
  [16, 32],
]);

/** Maximum addresses that receive NOTIFY for one zone. */
export const MAX_NOTIFIED = 10;
/** Maximum prefixes that may transfer one zone. */
export const MAX_ALLOWED = 100;
/** Maximum source addresses of one zone, for all nodes. */
export const MAX_SOURCES = 32;

const invalid = (code: string, message: string, pointer: string): InvalidError =>
  new InvalidError(code, message, { pointer });

/** Prefixes that may transfer the zone. Throws InvalidError. */
export function checkAllowed(values: readonly string[], isOperator: boolean): void {
  for (const [i, value] of values.entries()) {
    const at = `/allow_transfer/${i}`;
    if (value.toUpperCase() === 'AUTO-NS')
      throw invalid('unsupported', 'AUTO-NS is not supported; list the addresses of the secondaries.', at);
    try {
      const { bytes, bits } = unmapped(parsePrefix(value));
      if (!isOperator && bits < (MIN_PREFIX_BITS.get(bytes.length) ?? 0))
        throw new InvalidError('invalid_prefix', 'Use at least 16 bits of IPv4, or 32 of IPv6.');
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      const why = `"${value.slice(0, 100)}" is not an address or a prefix: ${error.message}`;
      throw invalid('invalid_prefix', why, at);
    }
  }
}

/**
 * Addresses that receive NOTIFY for the zone. The service sends messages there, so only
 * administrators may name private ones. Throws InvalidError.
 */
export function checkNotified(values: readonly string[], isOperator: boolean): void {
  if (values.length > MAX_NOTIFIED)
    throw invalid('too_many', `A zone notifies at most ${MAX_NOTIFIED} addresses.`, '/also_notify');
  for (const [i, value] of values.entries()) {
    const at = `/also_notify/${i}`;
    const shown = value.slice(0, 100);
    const advice = addressAdvice(value);
    const bytes = readSocketAddress(value);
    if (bytes === undefined || advice !== undefined) {
      const why = advice ?? 'write an address, with a port if it is not 53, such as 192.0.2.1 or [2001:db8::1]:5353';
      throw invalid('invalid_address', `"${shown}" is not an address to notify; ${why}.`, at);
    }
    const verdict = classifyAddress(bytes);
    if (!verdict.public && !isOperator) {
      const why = `The address "${shown}" ${verdict.reason}; only public addresses are notified.`;
      throw invalid('private_address', why, at);
    }
  }
}

/**
 * Source addresses of NOTIFY and of requests to primaries. Only administrators know which private
 * ones the nodes have. Throws InvalidError.
 */
export function checkSources(values: readonly string[], isOperator: boolean): void {
  if (values.length > MAX_SOURCES)
    throw invalid('too_many', `A zone has at most ${MAX_SOURCES} source addresses.`, '/transfer_source');
  for (const [i, value] of values.entries()) {
    const at = `/transfer_source/${i}`;
    const shown = value.slice(0, 100);
    const bytes = parseAddress(value);
    const advice = addressAdvice(value);
    if (bytes === undefined || advice !== undefined) {
      const why = advice ?? 'write an IP address, such as 192.0.2.1 or 2001:db8::1';
      throw invalid('invalid_address', `"${shown}" is not a source address; ${why}.`, at);
    }
    const verdict = classifyAddress(bytes);
    if (!verdict.public && !isOperator) {
      const why = `The address "${shown}" ${verdict.reason}; only administrators may use it as a source.`;
      throw invalid('private_address', why, at);
    }
  }
}

/** An address, `ADDRESS:PORT` or `[ADDRESS]:PORT`; undefined for anything else. */
function readSocketAddress(text: string): Uint8Array | undefined {
  const plain = parseAddress(text);
  if (plain !== undefined) return plain;
  const [, ipv6, ipv4, port] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(text) ?? [];
  if (port === undefined || Number(port) === 0 || Number(port) > 65_535) return undefined;
  return parseAddress(ipv6 ?? ipv4);
}
