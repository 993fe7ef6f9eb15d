/**
 * What the ALIAS records of a zone stand for, read off the list of its records: A and AAAA next to
 * each of them. Of a family that is not known there is one record without rdata, which the resolver
 * answers SERVFAIL for. A name without any other record gets a HINFO.
 */
import { type Name, nameId } from '../../core/dns/wire/name.ts';
import { parseRdata } from '../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import type { Zones } from './resolver.ts';

/** Addresses of a family, null: not known. */
export interface AliasState {
  readonly ttl: number;
  readonly a: readonly Uint8Array[] | null;
  readonly aaaa: readonly Uint8Array[] | null;
}

/** By nameId of the target. A target that is not among them is not known. */
export type Aliases = ReadonlyMap<string, AliasState>;

export function aliasedZones(zones: Zones, aliases: Aliases = new Map()): Zones {
  const expand = (record: ResourceRecord, _: number, all: readonly ResourceRecord[]): ResourceRecord[] => {
    if (record.type !== TYPE.ALIAS) return [record];
    const found = standIns(record, aliases.get(nameId(record.rdata)));
    const isAlone = !all.some(({ name, type }) => type !== TYPE.ALIAS && nameId(name) === nameId(record.name));
    return [record, ...(found.length === 0 && isAlone ? [placeholder(record)] : found)];
  };
  return new Map([...zones].map(([key, records]) => [key, records.flatMap(expand)]));
}

const NO_ADDRESSES = parseRdata(TYPE.HINFO, '"ALIAS" "no addresses"');

function placeholder({ name, ttl }: ResourceRecord): ResourceRecord {
  return { name, type: TYPE.HINFO, ttl, rdata: NO_ADDRESSES };
}

function standIns({ name, ttl }: ResourceRecord, state: AliasState | undefined): ResourceRecord[] {
  const family = (type: number, rdatas: readonly Uint8Array[] | null | undefined): ResourceRecord[] => {
    if (rdatas == null) return [{ name, type, ttl: 0, rdata: new Uint8Array(0) }];
    return rdatas.map((rdata) => ({ name, type, ttl: Math.min(ttl, state?.ttl ?? 0), rdata }));
  };
  return [...family(TYPE.A, state?.a), ...family(TYPE.AAAA, state?.aaaa)];
}

/** Any target has one state in a world, which a number picks. */
export function aliasState(value: number): AliasState | undefined {
  const a = Array.from({ length: 1 + (value % 3) }, (_, i) => Uint8Array.of(192, 0, 2, 100 + i));
  const aaaa = a.map((_, i) => Uint8Array.from([0x20, 1, 0xd, 0xb8, ...new Array(11).fill(0), 100 + i]));
  const ttl = 45 + (value % 4) * 60;
  return [
    undefined,
    { ttl, a, aaaa },
    { ttl, a, aaaa: [] },
    { ttl, a: [], aaaa },
    { ttl, a: [], aaaa: [] },
    { ttl, a, aaaa: null },
    { ttl, a: null, aaaa },
    { ttl, a: [], aaaa: null },
  ][Math.floor(value / 16) % 8];
}

/**
 * The number of a target: one for each name, so that it does not hang on which record comes first.
 * `seed` tells the states of one step from those of another.
 */
export function aliasNumber(target: Name, seed: number): number {
  return target.reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, (seed * 2654435761) >>> 0) >>> 8;
}
