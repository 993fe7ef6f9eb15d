/** Encodes valid and invalid update messages (RFC 2136). Independent of core/dns/wire/update.ts. */

import { parseType } from '../../core/dns/wire/mnemonics.ts';
import { parseName } from '../../core/dns/wire/name.ts';
import { parseRdata } from '../../core/dns/wire/rdata/index.ts';

export const CLASS = { IN: 1, CH: 3, NONE: 254, ANY: 255 } as const;

/** A record of the prerequisite or update section. */
export interface Section {
  readonly name: Uint8Array;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
}

export interface UpdateParts {
  readonly zone: Uint8Array;
  readonly zoneType?: number;
  readonly zoneClass?: number;
  readonly zones?: number;
  readonly prerequisites?: readonly Section[];
  readonly updates?: readonly Section[];
  /** Appended to the sections and counted as additional records. */
  readonly additional?: readonly Uint8Array[];
  readonly id?: number;
}

const NOTHING = new Uint8Array(0);

export function section(name: string, type: string, qclass: number, content: string | null, ttl = 0): Section {
  const number = parseType(type);
  if (number === undefined) throw new Error(`no type ${type}`);
  const rdata = content === null ? NOTHING : parseRdata(number, content);
  return { name: parseName(name), type: number, class: qclass, ttl, rdata };
}

/** Named after the commands of nsupdate. */
export const add = (name: string, ttl: number, type: string, content: string): Section =>
  section(name, type, CLASS.IN, content, ttl);
export const deleteOne = (name: string, type: string, content: string): Section =>
  section(name, type, CLASS.NONE, content);
export const deleteSet = (name: string, type: string): Section => section(name, type, CLASS.ANY, null);
export const deleteName = (name: string): Section => section(name, 'ANY', CLASS.ANY, null);
export const yxdomain = deleteName;
export const yxrrset = deleteSet;
export const nxdomain = (name: string): Section => section(name, 'ANY', CLASS.NONE, null);
export const nxrrset = (name: string, type: string): Section => section(name, type, CLASS.NONE, null);
export const sameRecord = (name: string, type: string, content: string): Section =>
  section(name, type, CLASS.IN, content);

export function encodeSection({ name, type, class: qclass, ttl, rdata }: Section): Uint8Array {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(qclass, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([name, fixed, rdata]);
}

export function encodeUpdate(parts: UpdateParts): Uint8Array {
  const { zone, zoneType = 6, zoneClass = 1, zones = 1, prerequisites = [], updates = [], additional = [] } = parts;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(parts.id ?? 4711, 0);
  header.writeUInt16BE(5 << 11, 2);
  [zones, prerequisites.length, updates.length, additional.length].forEach((count, i) => {
    header.writeUInt16BE(count, 4 + 2 * i);
  });
  const fields = Buffer.alloc(4);
  fields.writeUInt16BE(zoneType, 0);
  fields.writeUInt16BE(zoneClass, 2);
  const copy = Array.from({ length: zones }, () => [zone, fields]).flat();
  return Buffer.concat([header, ...copy, ...[...prerequisites, ...updates].map(encodeSection), ...additional]);
}
