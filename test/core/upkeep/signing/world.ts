/**
 * A slow model of what surrounds a signed zone: nodes that apply changes late, nameservers of the
 * parent with DS records of their own, their owner, and every cache that any resolver could have.
 */
import { dsRdata } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../../../core/dns/dnssec/keys.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import type { DnssecRow } from '../../../../core/store/rows.ts';
import { wantedKeys } from '../../../../core/upkeep/signing/advice.ts';
import { isFailed, mergeAnswers } from '../../../../core/upkeep/signing/parent.ts';
import {
  advance,
  beginRemoval,
  beginRollover,
  beginSigning,
  cancelRemoval,
  cancelRollover,
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
const DNSKEY_TTL = HOUR;

/** Pairs are slow to make, and every zone may have the same. */
const POOL = Array.from({ length: 16 }, () => Buffer.from(generateKeyPair(15).dnskey).toString('base64'));
const dsOf = (dnskey: string): string => Buffer.from(dsRdata(APEX, Buffer.from(dnskey, 'base64'))).toString('hex');
const DS = new Map(POOL.map((dnskey) => [dnskey, dsOf(dnskey)]));
export const FOREIGN_DS = `0001${'0d02'}${'ab'.repeat(32)}`;

/** What a node serves: DS of the keys that stand in the zone and sign; null: no signatures. */
interface Version {
  readonly keys: readonly string[];
  readonly dnskeySigners: readonly string[];
  readonly signer: string | null;
  /** The DS that CDS records ask for; null: there are none. */
  readonly cds: readonly string[] | null;
}

const UNSIGNED: Version = { keys: [], dnskeySigners: [], signer: null, cds: null };

function versionOf(zone: SignedZone | null): Version {
  if (zone === null) return UNSIGNED;
  const { keys, parent } = zone.row;
  const all = keys.map(({ dnskey }) => DS.get(dnskey)!);
  const signer = DS.get(keys.find(({ use }) => use === 'sign')!.dnskey)!;
  const cds = parent === 'none' ? null : wantedKeys(zone).map(({ dnskey }) => DS.get(dnskey)!);
  return { keys: all, dnskeySigners: all, signer, cds };
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
  readonly dsTtl: number;
  readonly dataTtl: number;
  /** The owner leaves DS records that are to be removed. */
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
  #version = '';
  #ordered = '';
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
    if (phase === 'awaiting_ds' || phase === 'secure') list.push('rollover', 'emergency');
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
      const key = { id: ++this.#lastId, dnskey: this.#newKey(), sealed: '', createdAt: 0 };
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
    const datas = unique(cached(this.#nodes, dataTtl).map(({ signer }) => signer));
    for (const ds of cached(this.#servers, dsTtl)) {
      if (ds.length === 0) continue;
      for (const { keys, dnskeySigners } of dnskeys) {
        if (!ds.some((id) => keys.includes(id) && dnskeySigners.includes(id)))
          return `no DNSKEY for any DS of ${ds.length} with keys ${keys.length}`;
        for (const signer of datas)
          if (signer === null || !keys.includes(signer)) return `no key for a signature (${signer === null})`;
      }
    }
    return null;
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

  #newKey(): string {
    return POOL[this.#keys++ % POOL.length];
  }

  #newRow(): DnssecRow {
    const dnskey = this.#newKey();
    return {
      ...{ domainId: 7, algorithm: 15, clock: 0, foreign: [], parent: 'publish' },
      keys: [{ id: ++this.#lastId, dnskey, sealed: '', use: 'sign', isTrusted: true, createdAt: 0 }],
    };
  }

  #set(zone: SignedZone | null): void {
    if (zone?.state.phase !== this.zone?.state.phase) this.log.push(`${this.#clock()} ${zone?.state.phase ?? 'off'}`);
    this.zone = zone;
    this.#serve();
  }

  /** Nodes apply a change after up to an hour. */
  #serve(): void {
    const version = versionOf(this.zone);
    const text = JSON.stringify(version);
    if (text === this.#version) return;
    this.#version = text;
    for (const queue of this.#pending) {
      const before = queue.at(-1)?.at ?? 0;
      queue.push({ at: Math.max(before, this.now + this.#options.random.below(4) * STEP), version });
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
    if (zone === null || zone.state.phase === 'signing') return;
    if (zone.state.phase === 'removing_ds' ? false : zone.state.servedSince === null && !zone.state.isEmergency) return;
    if (random.below(4) !== 0) return;
    const wanted = wantedKeys(zone).map(({ dnskey }) => DS.get(dnskey)!);
    const isRemoval = zone.state.phase === 'removing_ds';
    if (zone.state.phase === 'awaiting_ds' && (nextStepAt(zone) ?? 0) > this.now) return;
    const order = `${zone.state.phase} ${wanted.join()}`;
    if (order === this.#ordered) return;
    this.#ordered = order;
    const lag = random.below(isHalfSilent ? 6 : 40);
    this.#servers.forEach((server, i) => {
      const kept = leavesOld && !isRemoval ? server.last.filter((ds) => !wanted.includes(ds)) : [];
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
