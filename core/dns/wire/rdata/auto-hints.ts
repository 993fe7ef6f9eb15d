/**
 * `ipv4hint=auto` and `ipv6hint=auto` of SVCB and HTTPS: the zone replaces them by the addresses of
 * the target (RFC 9460 section 7.3). Stored rdata has one byte as their value, which no list of
 * addresses has. It is never served.
 */
import type { Name } from '../name.ts';
import { nameAt } from '../name.ts';
import { SERVICE_TARGET } from '../types.ts';

/** SvcParamKeys (RFC 9460 section 14.3.2). */
const MANDATORY = 0;
const IPV4_HINT = 4;
const IPV6_HINT = 6;

const AUTO_BYTE = 0;
/** The value of an automatic hint in stored rdata. */
export const AUTO_HINT: Uint8Array = Uint8Array.of(AUTO_BYTE);

export const isAutoHint = (value: Uint8Array): boolean => value.length === 1 && value[0] === AUTO_BYTE;

/** Whether rdata of SVCB or HTTPS has an automatic hint. The bytes may be malformed. */
export function hasAutoHint(rdata: Uint8Array): boolean {
  for (let at = paramsAt(rdata); at + 5 <= rdata.length; at = paramEnd(rdata, at))
    if (isAutoParam(rdata, at)) return true;
  return false;
}

/**
 * Replaces automatic hints by addresses. A hint without addresses is left out, also from the
 * mandatory keys, because clients ignore records that lack one (RFC 9460 section 8).
 */
export function replaceAutoHints(
  rdata: Uint8Array,
  addresses: { readonly ipv4: readonly Uint8Array[]; readonly ipv6: readonly Uint8Array[] },
): Uint8Array {
  const start = paramsAt(rdata);
  const params: { readonly key: number; readonly value: Uint8Array }[] = [];
  const absent = new Set<number>();
  for (let at = start; at + 4 <= rdata.length; at = paramEnd(rdata, at)) {
    const key = u16(rdata, at);
    if (!isAutoParam(rdata, at)) params.push({ key, value: rdata.subarray(at + 4, paramEnd(rdata, at)) });
    else {
      const found = key === IPV4_HINT ? addresses.ipv4 : addresses.ipv6;
      if (found.length === 0) absent.add(key);
      else params.push({ key, value: Buffer.concat(found) });
    }
  }
  const parts = [rdata.subarray(0, start)];
  for (const { key, value } of params) {
    const kept = key === MANDATORY ? withoutKeys(value, absent) : value;
    if (key !== MANDATORY || kept.length > 0) parts.push(Buffer.of(key >> 8, key, kept.length >> 8, kept.length), kept);
  }
  return Buffer.concat(parts);
}

/** The name that has the addresses of the service: "." stands for the owner (section 2.5). */
export function serviceHost(owner: Name, rdata: Uint8Array): Name {
  const target = nameAt(rdata, SERVICE_TARGET);
  return target.length === 1 ? owner : target;
}

function withoutKeys(keys: Uint8Array, absent: ReadonlySet<number>): Uint8Array {
  const kept: number[] = [];
  for (let at = 0; at + 2 <= keys.length; at += 2) if (!absent.has(u16(keys, at))) kept.push(keys[at], keys[at + 1]);
  return Uint8Array.from(kept);
}

function isAutoParam(rdata: Uint8Array, at: number): boolean {
  const key = u16(rdata, at);
  return (key === IPV4_HINT || key === IPV6_HINT) && u16(rdata, at + 2) === 1 && rdata[at + 4] === AUTO_BYTE;
}

function paramsAt(rdata: Uint8Array): number {
  let at = SERVICE_TARGET;
  while (at < rdata.length && rdata[at] !== 0) at += rdata[at] + 1;
  return at + 1;
}

const paramEnd = (rdata: Uint8Array, at: number): number => at + 4 + u16(rdata, at + 2);

const u16 = (bytes: Uint8Array, at: number): number => (bytes[at] << 8) | bytes[at + 1];
