/**
 * A slow model of what surrounds a signed zone: nodes that apply changes late, nameservers of the
 * parent with DS records of their own, their owner, and every cache that any resolver could have.
 */

import type { Algorithm } from '../../../../core/dns/dnssec/dnskey.ts';
import { dsRdata } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../../../core/dns/dnssec/keys.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { type DnssecKey, type DnssecRow, publishedKeys, signingKeys } from '../../../../core/store/rows.ts';
import { wantedKeys } from '../../../../core/upkeep/signing/advice.ts';
import { isFailed, mergeAnswers } from '../../../../core/upkeep/signing/parent.ts';
import {
  advance,
  beginRemoval,
  beginRollover,
  beginSigning,
  cancelRemoval,
  cancelRollover,
  changesAlgorithm,
  isBackingOut,
  isLookDue,
  isRolling,
  mayCancel,
  nextStepAt,
  noteLook,
  noteServed,
  noteTrouble,
  type SignedZone,
} from '../../../../core/upkeep/signing/zone-lifecycle.ts';
import type { Random } from '../../../support/random.ts';

export const APEX = parseName('signed.example.');
export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86_400;
/** Seconds of one step of the model. */
export const STEP = 20 * MINUTE;
/** Also of CDS records. */
export const DNSKEY_TTL = HOUR;

/** Pairs are slow to make, and every zone may have the same. */
const newPool = (algorithm: Algorithm): string[] =>
  Array.from({ length: 16 }, () => Buffer.from(generateKeyPair(algorithm).dnskey).toString('base64'));
const POOLS: ReadonlyMap<number, readonly string[]> = new Map(
  ([13, 15] as const).map((algorithm) => [algorithm, newPool(algorithm)]),
);
const dsOf = (dnskey: string): string => Buffer.from(dsRdata(APEX, Buffer.from(dnskey, 'base64'))).toString('hex');
const DS = new Map([...POOLS.values()].flat().map((dnskey) => [dnskey, dsOf(dnskey)]));
const dsOfKeys = (keys: readonly DnssecKey[]): string[] => keys.map(({ dnskey }) => DS.get(dnskey)!);
export const FOREIGN_DS = `0001${'0d02'}${'ab'.repeat(32)}`;

/** What a node serves. Keys are in the form of their DS. */
interface Version {
  /** The DNSKEY RRset, which these keys sign. */
  readonly keys: readonly string[];
  /** The keys that sign the other records. Several sets: some records have each of them. */
  readonly signers: readonly (readonly string[])[];
  /** The DS that CDS records ask for; null: there are none. */
  readonly cds: readonly string[] | null;
}

const UNSIGNED: Version = { keys: [], signers: [[]], cds: null };

function versionOf(zone: SignedZone | null): Version {
  if (zone === null) return UNSIGNED;
  const { row } = zone;
  const cds = row.parent === 'none' ? null : dsOfKeys(wantedKeys(zone));
  return { keys: dsOfKeys(publishedKeys(row)), signers: [dsOfKeys(signingKeys(row))], cds };
}

const algorithmsOf = (keys: readonly string[]): Set<number> =>
  new Set(keys.map((ds) => Number.parseInt(ds.slice(4, 6), 16)));

/**
 * Null, or how a validator fails that requires signatures of each algorithm: in the DS RRset for
 * the DNSKEY RRset, and in the DNSKEY RRset for all others (RFC 4035 section 2.2).
 */
function faultOf(ds: readonly string[], keys: readonly string[], signers: readonly string[]): string | null {
  const anchors = ds.filter((key) => keys.includes(key));
  if (anchors.length === 0) return `no DNSKEY for any DS of ${ds.length} with keys ${keys.length}`;
  for (const algorithm of algorithmsOf(ds.filter((key) => key !== FOREIGN_DS)))
    if (!algorithmsOf(anchors).has(algorithm)) return `no DNSKEY for a DS of algorithm ${algorithm}`;
  const valid = signers.filter((key) => keys.includes(key));
  if (valid.length === 0) return `no key for a signature (${signers.length === 0})`;
  for (const algorithm of algorithmsOf(keys))
    if (!algorithmsOf(valid).has(algorithm)) return `no signature of algorithm ${algorithm}`;
  return null;
}

/** Values by the time from which they were served. */
class History<T> {
  readonly #entries: { readonly from: number; readonly value: T }[];

  constructor(value: T) {
    this.#entries = [{ from: 0, value }];
  }

  get last(): T {
    return this.#entries[this.#entries.length - 1].value;
  }

  push(from: number, value: T): void {
    this.#entries.push({ from, value });
  }

  /** What a cache may have that keeps a value for `ttl` seconds. */
  since(time: number): T[] {
    let first = this.#entries.findLastIndex(({ from }) => from <= time);
    if (first < 0) first = 0;
    return this.#entries.slice(first).map(({ value }) => value);
  }
}

export interface WorldOptions {
  readonly random: Random;
  /** Of the first key. */
  readonly algorithm: number;
  readonly dsTtl: number;
  readonly dataTtl: number;
  /** The owner leaves DS records that are to be removed, but for those of another algorithm. */
  readonly leavesOld: boolean;
  /** One server of the parent never answers. */
  readonly isHalfSilent: boolean;
  /** The registry of the parent follows CDS records (RFC 8078). */
  readonly followsCds: boolean;
}

export class World {
  now = 1_800_000_000;
  zone: SignedZone | null = null;
  readonly log: string[] = [];
  readonly #options: WorldOptions;
  readonly #nodes = [new History(UNSIGNED), new History(UNSIGNED)];
  readonly #servers = [new History<readonly string[]>([]), new History<readonly string[]>([])];
  /** Of each node, what it applies when. */
  readonly #pending: { readonly at: number; readonly version: Version }[][] = [[], []];
  readonly #updates: { at: number; ds: readonly string[] }[][] = [[], []];
  #version = UNSIGNED;
  #ordered = '';
  #isOwnerAway = false;
  #keys = 0;
  #lastId = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
  }

  get phase(): string {
    return this.zone?.state.phase ?? 'off';
  }

  /** Commands that the API accepts now. */
  commands(): string[] {
    const { zone } = this;
    if (zone === null) return ['enable'];
    const { phase } = zone.state;
    const list = phase === 'removing_ds' ? ['enable'] : ['disable'];
    if (phase === 'awaiting_ds' || phase === 'secure') list.push('rollover', 'emergency', 'algorithm');
    if (isRolling(zone) && mayCancel(zone) && !isBackingOut(zone)) list.push('cancel');
    return list;
  }

  run(command: string): void {
    const { now, zone } = this;
    const { dataTtl } = this.#options;
    this.log.push(`${this.#clock()} ${command} in ${this.phase}`);
    if (command === 'enable' && zone === null) this.#set(beginSigning(this.#newRow(), dataTtl, now));
    else if (command === 'enable') this.#set(cancelRemoval(zone!, dataTtl, now));
    else if (command === 'disable') this.#set(beginRemoval(this.#look(zone!), now));
    else if (command === 'cancel') this.#set(cancelRollover(this.#look(zone!), APEX, now));
    else {
      const { algorithm } = zone!.row;
      const chosen = command === 'algorithm' ? 28 - algorithm : algorithm;
      const key = { id: ++this.#lastId, dnskey: this.#newKey(chosen), sealed: '', createdAt: 0 };
      const isEmergency = command === 'emergency';
      this.#set(beginRollover(zone!, key, { isEmergency, largestTtl: dataTtl }, now));
    }
  }

  /** One step of time: nodes and servers change, the keeper works, the owner does as advised. */
  tick(): void {
    this.now += STEP;
    this.#nodes.forEach((node, i) => {
      for (; this.#pending[i][0]?.at <= this.now; ) node.push(this.now, this.#pending[i].shift()!.version);
    });
    this.#servers.forEach((server, i) => {
      for (; this.#updates[i][0]?.at <= this.now; ) server.push(this.now, this.#updates[i].shift()!.ds);
    });
    this.#keep();
    this.#obey();
    this.#follow();
    this.#serve();
  }

  /** Null, or how a resolver with some caches fails. */
  failure(): string | null {
    const { dsTtl, dataTtl } = this.#options;
    const unique = <T>(values: readonly T[]): T[] => [
      ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
    ];
    const cached = <T>(histories: readonly History<T>[], ttl: number): T[] =>
      unique(histories.flatMap((history) => history.since(this.now - ttl)));
    const dnskeys = cached(this.#nodes, DNSKEY_TTL);
    const signerSets = unique(cached(this.#nodes, dataTtl).flatMap(({ signers }) => signers));
    for (const ds of cached(this.#servers, dsTtl))
      for (const { keys } of ds.length === 0 ? [] : dnskeys)
        for (const signers of signerSets) {
          const fault = faultOf(ds, keys, signers);
          if (fault !== null) return fault;
        }
    return null;
  }

  /** The owner does nothing any more, and the registrar forgets all orders. */
  holdOwner(): void {
    this.#isOwnerAway = true;
    this.#updates.forEach((orders) => {
      orders.length = 0;
    });
  }

  /** All servers of the parent have the DS of these keys. */
  publish(keys: readonly DnssecKey[]): void {
    for (const server of this.#servers) server.push(this.now, dsOfKeys(keys));
  }

  /** Adds a DS that belongs to no key. */
  addForeignDs(): void {
    this.#servers.forEach((server) => {
      if (!server.last.includes(FOREIGN_DS) && server.last.length > 0)
        server.push(this.now, [...server.last, FOREIGN_DS]);
    });
  }

  #clock(): string {
    return `${((this.now - 1_800_000_000) / HOUR).toFixed(1)} h:`;
  }

  #newKey(algorithm: number): string {
    const pool = POOLS.get(algorithm)!;
    return pool[this.#keys++ % pool.length];
  }

  #newRow(): DnssecRow {
    const { algorithm } = this.#options;
    const dnskey = this.#newKey(algorithm);
    return {
      ...{ domainId: 7, algorithm, clock: 0, foreign: [], parent: 'publish' },
      keys: [{ id: ++this.#lastId, dnskey, sealed: '', use: 'sign', isTrusted: true, createdAt: 0 }],
    };
  }

  #set(zone: SignedZone | null): void {
    if (zone?.state.phase !== this.zone?.state.phase) this.log.push(`${this.#clock()} ${zone?.state.phase ?? 'off'}`);
    this.zone = zone;
    this.#serve();
  }

  /**
   * Nodes apply a change after up to an hour. A change of the signing keys is applied in two
   * pieces.
   */
  #serve(): void {
    const version = versionOf(this.zone);
    const text = JSON.stringify(version);
    if (text === JSON.stringify(this.#version)) return;
    const former = this.#version.signers;
    const isPartial = JSON.stringify(former) !== JSON.stringify(version.signers) && version.keys.length > 0;
    this.#version = version;
    for (const queue of this.#pending) {
      let at = queue.at(-1)?.at ?? 0;
      const pieces = isPartial ? [{ ...version, signers: [...former, ...version.signers] }, version] : [version];
      for (const piece of pieces) {
        at = Math.max(at, this.now + this.#options.random.below(4) * STEP);
        queue.push({ at, version: piece });
      }
    }
  }

  #keep(): void {
    if (this.zone === null) return;
    let zone = this.zone;
    if (this.#pending.every((queue) => queue.length === 0)) zone = noteServed(zone, this.now);
    if (isLookDue(zone, this.now)) zone = this.#look(zone);
    this.#set(advance(zone, APEX, this.now));
  }

  #look(zone: SignedZone): SignedZone {
    const { random, isHalfSilent } = this.#options;
    if (random.below(10) === 0) return noteTrouble(zone, 'no server answered', this.now);
    const ttl = this.#options.dsTtl;
    const answers = this.#servers.map((server, i) => (isHalfSilent && i === 1 ? [] : [{ ds: server.last, ttl }]));
    const look = mergeAnswers('example', answers, this.now);
    return isFailed(look) ? zone : noteLook(zone, APEX, look);
  }

  /** The owner orders the DS records that the API shows; the servers have them some hours later. */
  #obey(): void {
    const { zone } = this;
    const { random, leavesOld, isHalfSilent } = this.#options;
    if (this.#isOwnerAway || zone === null || zone.state.phase === 'signing') return;
    if (zone.state.phase === 'removing_ds' ? false : zone.state.servedSince === null && !zone.state.isEmergency) return;
    if (random.below(4) !== 0) return;
    const wanted = wantedKeys(zone).map(({ dnskey }) => DS.get(dnskey)!);
    const isRemoval = zone.state.phase === 'removing_ds';
    if (zone.state.phase === 'awaiting_ds' && (nextStepAt(zone) ?? 0) > this.now) return;
    // A DS of the former algorithm that appears later must be removed as well.
    const found = changesAlgorithm(zone.row) ? this.#servers.map(({ last }) => last.join()) : [];
    const order = `${zone.state.phase} ${wanted.join()} ${found.join(' ')}`;
    if (order === this.#ordered) return;
    this.#ordered = order;
    const lag = random.below(isHalfSilent ? 6 : 40);
    this.#servers.forEach((server, i) => {
      const kept =
        leavesOld && !isRemoval && !changesAlgorithm(zone.row) ? server.last.filter((ds) => !wanted.includes(ds)) : [];
      const at = this.now + (lag + random.below(isHalfSilent ? 6 : 20)) * STEP;
      // The registrar forgets an order that it has not carried out.
      this.#updates[i] = [{ at, ds: [...kept, ...wanted] }];
    });
  }

  /** The registry sees the CDS of a node or a cache at any moment, and carries them out. */
  #follow(): void {
    const { random, followsCds } = this.#options;
    if (!followsCds || random.below(8) !== 0) return;
    const { cds } = random.pick(random.pick(this.#nodes).since(this.now - DNSKEY_TTL));
    if (cds === null) return;
    this.#servers.forEach((_server, i) => {
      this.#updates[i] = [{ at: this.now + random.below(4) * STEP, ds: cds }];
    });
  }
}
