/** A record's content as an object, for programs that should not have to take the text apart. */
import { formatName, nameAt } from '../../core/wire/name.ts';
import { formatIPv4, formatIPv6 } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';

export type Data = Readonly<Record<string, unknown>>;

const hex = (rdata: Uint8Array, from: number): string =>
  Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('hex', from);
const u16 = (rdata: Uint8Array, at: number): number => (rdata[at] << 8) | rdata[at + 1];
const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
const target = (rdata: Uint8Array, at = 0): string => formatName(nameAt(rdata, at));

const SHAPES: ReadonlyMap<number, (rdata: Uint8Array) => Data> = new Map([
  [TYPE.A, (rdata: Uint8Array): Data => ({ address: formatIPv4(rdata) })],
  [TYPE.AAAA, (rdata): Data => ({ address: formatIPv6(rdata) })],
  [TYPE.CNAME, (rdata): Data => ({ target: target(rdata) })],
  [TYPE.DNAME, (rdata): Data => ({ target: target(rdata) })],
  [TYPE.NS, (rdata): Data => ({ target: target(rdata) })],
  [TYPE.PTR, (rdata): Data => ({ target: target(rdata) })],
  [TYPE.MX, (rdata): Data => ({ priority: u16(rdata, 0), target: target(rdata, 2) })],
  [
    TYPE.SRV,
    (rdata): Data => ({
      priority: u16(rdata, 0),
      weight: u16(rdata, 2),
      port: u16(rdata, 4),
      target: target(rdata, 6),
    }),
  ],
  [TYPE.TXT, (rdata): Data => ({ strings: strings(rdata).map(text), text: strings(rdata).map(text).join('') })],
  [TYPE.CAA, caa],
  [
    TYPE.DS,
    (rdata): Data => ({ key_tag: u16(rdata, 0), algorithm: rdata[2], digest_type: rdata[3], digest: hex(rdata, 4) }),
  ],
  [
    TYPE.TLSA,
    (rdata): Data => ({ usage: rdata[0], selector: rdata[1], matching_type: rdata[2], certificate: hex(rdata, 3) }),
  ],
  [TYPE.SSHFP, (rdata): Data => ({ algorithm: rdata[0], fingerprint_type: rdata[1], fingerprint: hex(rdata, 2) })],
]);

/** Of a type without a shape of its own: the rdata in hexadecimal. */
export function dataOf(type: number, rdata: Uint8Array): Data {
  return SHAPES.get(type)?.(rdata) ?? { rdata: hex(rdata, 0) };
}

function strings(rdata: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let p = 0; p < rdata.length; p += rdata[p] + 1) parts.push(rdata.subarray(p + 1, p + 1 + rdata[p]));
  return parts;
}

function caa(rdata: Uint8Array): Data {
  const value = 2 + rdata[1];
  return { flags: rdata[0], tag: text(rdata.subarray(2, value)), value: text(rdata.subarray(value)) };
}
