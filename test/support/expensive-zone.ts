/**
 * A zone with expensive answers: a chain of wildcards, presigned with NSEC3. A single NSEC3 record
 * covers all names, so every proof is found. Only the apex has signatures, so that an answer fits
 * into a packet.
 */
import { joinNames, type Name, parseName } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { presign } from '../reference/presigned.ts';

export interface Expensive {
  readonly iterations: number;
  /** Bytes of the salt. */
  readonly salt: number;
  /** Number of wildcards. */
  readonly links: number;
  readonly serial?: number;
}

/** Records of the zone. A query for `q.0` follows all links. */
export function expensiveZone(apex: Name, { iterations, salt, links, serial = 1 }: Expensive): ResourceRecord[] {
  const at = (owner: string, type: number, rdata: Uint8Array): ResourceRecord => {
    const name = owner === '@' ? apex : parseName(owner, apex);
    return { name, type, ttl: 300, rdata };
  };
  const numbers = Buffer.alloc(20);
  [serial, 3600, 3600, 86_400, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  const records = [
    at('@', TYPE.SOA, Buffer.concat([apex, apex, numbers])),
    at('@', TYPE.NS, parseName('ns', apex)),
    at('ns', TYPE.A, Uint8Array.of(192, 0, 2, 1)),
    ...Array.from({ length: links }, (_, i) =>
      at(`*.${i}`, TYPE.CNAME, joinNames(parseName(`q.${i + 1}`).subarray(0, -1), apex)),
    ),
    at(`*.${links}`, TYPE.A, Uint8Array.of(192, 0, 2, 1)),
  ];
  const choice = { denial: 'nsec3', iterations, salt: new Uint8Array(salt).fill(7), isOptOut: false, keys: 1 } as const;
  const signed = presign(records, choice);
  const onlyNsec3 = signed.find(({ type }) => type === TYPE.NSEC3);
  return signed.filter((record) => {
    if (record.type === TYPE.NSEC3) return record === onlyNsec3;
    return record.type !== TYPE.RRSIG || record.name.length === apex.length;
  });
}
