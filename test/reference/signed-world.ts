/** Signs some zones of a generated world. */
import { ALGORITHM } from '../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, SigningKey } from '../../core/dns/dnssec/keys.ts';
import { ALL_HASHES, SignatureMemo, Signer } from '../../core/dns/dnssec/zone-signer.ts';
import { equalNames, isWithin, type Name } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import type { DnssecRow } from '../../core/store/rows.ts';
import { withDnssec } from '../../core/zone/compile/apex.ts';
import type { World } from './generate.ts';
import { servedZones } from './hints.ts';
import type { SignedZone } from './signed.ts';

const PAIRS = [ALGORITHM.ECDSAP256SHA256, ALGORITHM.ED25519, ALGORITHM.ED25519].map((algorithm) =>
  generateKeyPair(algorithm),
);
const KEYS = PAIRS.map((pair) => new SigningKey(pair));

export interface SignedWorld extends World {
  readonly signers: ReadonlyMap<string, Signer>;
  readonly signed: readonly SignedZone[];
}

/** The world without zones that are inside others. */
export function withoutNested(world: World): World {
  const apexes = [...world.zones.values()].map(([{ name }]) => name);
  const isNested = (apex: Name): boolean => apexes.some((other) => isWithin(apex, other) && !equalNames(apex, other));
  const zones = new Map([...world.zones].filter(([, [{ name }]]) => !isNested(name)));
  return { ...world, zones, proxies: new Map([...(world.proxies ?? [])].filter(([key]) => zones.has(key))) };
}

/** Signs three of four zones: with one key, two, or one and another that is published. */
export function signWorld(world: World, seed: number, clock: number): SignedWorld {
  const signers = new Map<string, Signer>();
  const zones = new Map<string, readonly ResourceRecord[]>();
  const memo = new SignatureMemo(10_000);
  const chosen: { key: string; signing: SigningKey[]; published: SigningKey[] }[] = [];
  [...world.zones].forEach(([key, records], i) => {
    const choice = (seed >> (2 * i)) & 3;
    if (choice === 3) {
      zones.set(key, records);
      return;
    }
    const signing = choice === 0 ? [KEYS[seed & 1]] : choice === 1 ? [KEYS[0], KEYS[1]] : [KEYS[1]];
    const published = choice === 2 ? [KEYS[2]] : [];
    const apex = records[0].name;
    zones.set(key, [...records, ...recordsOf(apex, signing, published)]);
    signers.set(key, signerOf(apex, clock, signing, published, memo));
    chosen.push({ key, signing, published });
  });
  const answered = servedZones({ ...world, zones });
  const signed = chosen.map(({ key, signing, published }) => ({
    apex: zones.get(key)![0].name,
    records: answered.get(key)!,
    keys: signing.map(({ dnskey }) => dnskey),
    published: [...signing, ...published].map(({ dnskey }) => dnskey),
    clock,
  }));
  return { ...world, zones, signers, signed };
}

/** Signs a whole zone. */
export function signerOf(
  apex: Name,
  clock: number,
  signing: readonly SigningKey[] = KEYS.slice(0, 1),
  published: readonly SigningKey[] = [],
  memo = new SignatureMemo(),
): Signer {
  const all = [...signing, ...published];
  const keys = { signing, previous: [], signedTo: ALL_HASHES, published: all, isComplete: true };
  return new Signer(apex, keys, { clock, previous: clock }, memo);
}

/** What stands at the apex of a signed zone. */
function recordsOf(apex: Name, signing: readonly SigningKey[], published: readonly SigningKey[]): ResourceRecord[] {
  const keyRow = ({ dnskey }: SigningKey, use: 'sign' | 'publish') => ({
    id: 1,
    dnskey: Buffer.from(dnskey).toString('base64'),
    sealed: '',
    use,
    isTrusted: use === 'sign',
    createdAt: 0,
  });
  const row: DnssecRow = {
    domainId: 1,
    algorithm: ALGORITHM.ED25519,
    clock: 0,
    keys: [...signing.map((key) => keyRow(key, 'sign')), ...published.map((key) => keyRow(key, 'publish'))],
    foreign: [],
    parent: 'publish',
  };
  return withDnssec([], apex, row).flatMap(({ type, ttl, rdatas }) =>
    rdatas.map((rdata) => ({ name: apex, type, ttl, rdata })),
  );
}

export const DNSSEC_TYPES = [TYPE.RRSIG, TYPE.NSEC3, TYPE.NSEC3PARAM, TYPE.DNSKEY, TYPE.CDS, TYPE.CDNSKEY] as const;
