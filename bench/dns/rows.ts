/** The loads that are measured, and what Waypost has to reach in each. */
import { parseMaster } from '../../core/dns/wire/master/index.ts';
import { parseName } from '../../core/dns/wire/name.ts';
import { compileZone, readNodes } from '../../core/zone/compile/bulk.ts';
import { MemoryZone } from '../../core/zone/compile/memory.ts';
import type { Way } from './drivers.ts';
import {
  hostLoad,
  mixLoad,
  type QuerySet,
  randomSubdomainLoad,
  type SignedKind,
  signedLoad,
  uniformLoad,
  writeQueries,
} from './queries.ts';
import { bigZones, mixZones, signedSet, steeredSet, type ZoneSet } from './zones.ts';

export interface Goal {
  readonly peer: string;
  /** Waypost's queries a second over the peer's, median of the rounds; left out: only shown. */
  readonly atLeast?: number;
  readonly aim?: number;
  /** Maximum of Waypost's own CPU time a query over the peer's, see ownVerdicts in report.ts. */
  readonly ownAtMost?: number;
}

export interface Row {
  readonly id: string;
  readonly text: string;
  readonly set: ZoneSet;
  /** Waypost's index holds a tenth of the answers only; the rest comes from LMDB. */
  readonly bounded: boolean;
  readonly goals: readonly Goal[];
  /** UDP when it is left out. */
  readonly way?: Way;
  /** Waypost as it comes is measured against itself with all that can be switched off off. */
  readonly againstItself?: boolean;
  queries(folder: string, edns: boolean): QuerySet;
}

/** What a signed row has to reach against Knot. */
const SIGNED_GOALS: Record<SignedKind, number> = {
  exists: 1.25,
  nxdomain: 1.1,
  nodata: 1.1,
  wildcard: 1.1,
  referral: 1.1,
};

/** Waypost without cookies and rate limit. Its counters cannot be switched off. */
export const UNGUARDED = 'Waypost, off';

const SIGNED_ZONES = 300;

const STEERED_ZONES = 100;

/** Waypost with the same zones, without steering. */
export const UNSTEERED = 'Waypost, plain';

/** Waypost with the same zones, unsigned. */
export const UNSIGNED = 'Waypost, unsigned';

/**
 * WAYPOST_DNS_INDEX_MEMORY of a bounded row: a tenth of what the nodes of all zones take in the
 * index. All zones of a set are alike.
 */
export function boundedMemory(set: ZoneSet): number {
  const origin = parseName(set.zoneName(0));
  const { records } = parseMaster(Buffer.from(set.zoneText(0)), { origin });
  let bytes = 0;
  for (const { node } of readNodes(compileZone(new MemoryZone(origin, records)))) bytes += (node.length + 7) & ~7;
  return Math.round((bytes * set.zones) / 10);
}

/** All rows, in the order in which they run. `quick`: a tenth of the big zones. */
export function allRows(quick: boolean): Row[] {
  const mix = mixZones();
  const big = bigZones(quick ? 500 : 5000);
  const signed = signedSet(mixZones(SIGNED_ZONES));
  const steered = steeredSet(mixZones(STEERED_ZONES));
  const names = (big.zones * (big.records - 3)).toLocaleString('en');
  return [
    {
      id: 'mix',
      text: '1,000 zones × 204 records, mixed queries',
      set: mix,
      bounded: false,
      goals: [{ peer: 'Knot', ownAtMost: 0.5 }, { peer: 'NSD' }],
      queries: (folder, edns) => writeQueries(mixLoad(mix), folder, edns),
    },
    {
      id: 'mix-nxdomain',
      text: 'the same zones, random sub-domains only',
      set: mix,
      bounded: false,
      goals: [{ peer: 'Knot', atLeast: 1.25, aim: 1.7 }],
      queries: (folder, edns) => writeQueries(randomSubdomainLoad(mix), folder, edns),
    },
    {
      id: 'tcp-once',
      text: 'mix over TCP, a connection for each query',
      set: mix,
      bounded: false,
      way: 'tcp-once',
      goals: [{ peer: 'Knot', atLeast: 1, aim: 1.2 }],
      queries: (folder, edns) => writeQueries(mixLoad(mix), folder, edns),
    },
    {
      id: 'tcp-pipelined',
      text: 'mix over TCP, 32 connections that stay, 6 queries out on each',
      set: mix,
      bounded: false,
      way: 'tcp-pipelined',
      goals: [{ peer: 'Knot', atLeast: 1, aim: 1.5 }],
      queries: (folder, edns) => writeQueries(mixLoad(mix), folder, edns),
    },
    {
      id: 'guards',
      text: 'mix, everything on against off, each query with a cookie',
      set: mix,
      bounded: false,
      againstItself: true,
      goals: [{ peer: UNGUARDED, atLeast: 0.9, aim: 0.95 }],
      queries: (folder) => writeQueries(mixLoad(mix), folder, 'cookie'),
    },
    {
      id: 'guards-plain',
      text: 'mix, everything on against off, without OPT',
      set: mix,
      bounded: false,
      againstItself: true,
      goals: [{ peer: UNGUARDED, atLeast: 0.9, aim: 0.95 }],
      queries: (folder) => writeQueries(mixLoad(mix), folder),
    },
    {
      id: 'steered',
      text: `addresses of ${steered.zones} zones of the mix, steered by network and weight against plain`,
      set: steered,
      bounded: false,
      goals: [{ peer: UNSTEERED, atLeast: 0.9 }],
      queries: (folder, edns) => writeQueries(hostLoad(steered), folder, edns),
    },
    ...(Object.keys(SIGNED_GOALS) as SignedKind[]).map(
      (kind): Row => ({
        id: `dnssec-${kind}`,
        text: `${signed.zones} signed zones of the mix, DO, ${kind}`,
        set: signed,
        bounded: false,
        goals: [
          { peer: 'Knot', atLeast: SIGNED_GOALS[kind], aim: 1.5 },
          { peer: 'NSD' },
          { peer: 'PowerDNS' },
          ...(kind === 'exists' ? [{ peer: UNSIGNED, atLeast: 0.85 }] : []),
        ],
        queries: (folder) => writeQueries(signedLoad(signed, kind), folder, 'do'),
      }),
    ),
    {
      id: 'dnssec-big',
      text: `${names} signed names in ${big.zones.toLocaleString('en')} zones, DO, uniform`,
      set: signedSet(big),
      bounded: false,
      goals: [{ peer: 'Knot' }],
      queries: (folder) => writeQueries(uniformLoad(signedSet(big)), folder, 'do'),
    },
    {
      id: 'dot',
      text: 'mix over TLS, 32 connections that stay, by dnsperf',
      set: mix,
      bounded: false,
      way: 'dot',
      goals: [
        { peer: 'Knot', atLeast: 0.8, aim: 1 },
        { peer: 'NSD', atLeast: 0.8, aim: 1 },
      ],
      queries: (folder, edns) => writeQueries(mixLoad(mix), folder, edns),
    },
    {
      id: 'big',
      text: `${names} names in ${big.zones.toLocaleString('en')} zones, uniform`,
      set: big,
      bounded: false,
      goals: [{ peer: 'Knot', ownAtMost: 0.4 }],
      queries: (folder, edns) => writeQueries(uniformLoad(big), folder, edns),
    },
    {
      id: 'big-nxdomain',
      text: 'the same zones, random sub-domains only',
      set: big,
      bounded: false,
      goals: [{ peer: 'Knot', atLeast: 1.6, aim: 2.2 }],
      queries: (folder, edns) => writeQueries(randomSubdomainLoad(big), folder, edns),
    },
    {
      id: 'big-bounded',
      text: 'uniform, the index bound at a tenth of the answers',
      set: big,
      bounded: true,
      goals: [{ peer: 'Knot', atLeast: 0.8, aim: 1.0 }],
      queries: (folder, edns) => writeQueries(uniformLoad(big), folder, edns),
    },
  ];
}
