/** The log of all nodes in etcd: groups of entries in the one order that counts, and the head, which every append compares. */
import { EtcdFull, EtcdUnavailable } from '../../etcd/errors.ts';
import type { EtcdGateway } from '../../etcd/gateway.ts';
import {
  type Compare,
  hasRevision,
  hasValue,
  type KeyValue,
  type Operation,
  put,
  range,
  remove,
} from '../../etcd/messages.ts';
import { decodeHead, encodeHead, type Head } from '../applied-head.ts';
import { decodeEntry } from '../entry-codec.ts';
import { decodeGroup, type EncodedGroup, joinParts, type Keys, keysBelow } from './etcd-keys.ts';

/** Entries that were appended together, and are applied together. */
export interface LoggedGroup {
  /** Sequence of the first. */
  readonly first: number;
  readonly entries: readonly Buffer[];
  /** Of etcd, when it was appended. */
  readonly revision: number;
}

/** How the log stands, in one look. */
export interface LogState {
  /** Null: nothing was ever appended. */
  readonly head: Head | null;
  /** The last that changed the head; 0: none. */
  readonly headRevision: number;
  /** Whose turn it is, by the revision that says so; 0: anybody's. */
  readonly turn: number;
  /** Entries from here on are there. */
  readonly floor: number;
  /** From the sequence that was asked for on; there are more when they do not reach the head. */
  readonly groups: readonly LoggedGroup[];
  /** Of the look; a watch goes on from the next. */
  readonly revision: number;
}

export type Appended = { readonly revision: number } | { readonly state: LogState };

/** Groups in one look: up to 2 MiB. */
const LOOK = 16;
/** Parts in one request. */
const PARTS = 2;

/** The head that an append goes behind, as it was written last. */
export interface Place {
  readonly head: Head;
  /** Of etcd; 0: it was never written. */
  readonly revision: number;
}

/** By the node whose commits are among those that are appended: see EtcdLog.renewMandate. */
export type Mandates = ReadonlyMap<string, number>;

const NONE: Mandates = new Map();

export class EtcdLog {
  readonly #gateway: EtcdGateway;
  readonly #keys: Keys;
  /** What was sent to be appended last: read again, as the watch tells of it, it need not be unpacked. */
  #sent: EncodedGroup | null = null;

  constructor(gateway: EtcdGateway, prefix: string) {
    this.#gateway = gateway;
    this.#keys = keysBelow(prefix);
  }

  /** Rejects with EtcdUnavailable or EtcdRefused, and with Error for what is no log. */
  async look(from: number): Promise<LogState> {
    const { ranges, revision } = await this.#gateway.transaction([], this.#looking(from));
    return this.#stateOf(ranges, revision);
  }

  /** The sequence of the last entry. Rejects as `look`. */
  async end(): Promise<number> {
    const { ranges } = await this.#gateway.transaction([], [range(this.#keys.head)]);
    const found = ranges[0]?.items[0];
    return found === undefined ? 0 : decodeHead(found.value).sequence;
  }

  /** Writes the head where there is none yet: that of a node whose data is to be the cluster's. False: there is one. */
  async begin(head: Head): Promise<boolean> {
    const floor = Buffer.alloc(6);
    floor.writeUIntBE(head.sequence + 1, 0, 6);
    const { succeeded } = await this.#gateway.transaction(
      [hasRevision(this.#keys.head, 0)],
      [put(this.#keys.head, encodeHead(head)), put(this.#keys.floor, floor)],
    );
    return succeeded;
  }

  /** Whether a node at this head is a part of this log, as far as the log still reaches back to it. */
  async holds(head: Head): Promise<boolean> {
    const { head: last, groups } = await this.look(head.sequence + 1);
    if (last?.sequence === head.sequence) return last.hash.equals(head.hash);
    const [next] = groups;
    return next?.first === head.sequence + 1 && decodeEntry(next.entries[0]).previousHash.equals(head.hash);
  }

  /**
   * Puts a group behind `place` when it is anybody's turn, or that of `turn`, which ends with it, and all mandates stand; `head` is the new one. Resolves with how the log stands when
   * that was not so, as when somebody was sooner.
   * Rejects with EtcdUnavailable, whose `mayHappen` says what is known, and EtcdRefused.
   */
  async append(group: EncodedGroup, place: Place, head: Head, turn = 0, mandates: Mandates = NONE): Promise<Appended> {
    const first = place.head.sequence + 1;
    this.#sent = group;
    const parts = group.parts.map((part, n) => put(this.#keys.part(first, group.hash, n), part));
    // One fits into the request that names it.
    if (parts.length > 1)
      for (const part of parts.splice(0)) await harmless(() => this.#gateway.transaction([], [part]));
    const { head: key, log, turn: turnKey } = this.#keys;
    const puts = [...parts, put(key, encodeHead(head)), put(log(first), group.value)];
    try {
      const standing = Array.from(mandates, ([node, revision]) => hasRevision(this.#keys.mandate(node), revision));
      const operations = turn === 0 ? puts : [...puts, remove(turnKey)];
      return await this.#behind(place, operations, [hasRevision(turnKey, turn), ...standing]);
    } catch (error) {
      if (!(error instanceof EtcdFull)) throw error;
      return await this.#despite(error, first, group);
    }
  }

  /** An append was refused for want of room, and may have been carried out. */
  async #despite(error: EtcdFull, first: number, { value }: EncodedGroup): Promise<Appended> {
    try {
      const { ranges } = await this.#gateway.transaction([], [range(this.#keys.log(first))]);
      const found = ranges[0]?.items[0];
      if (found?.value.equals(value)) return { revision: found.modRevision };
    } catch (cause) {
      throw new EtcdUnavailable((cause as Error).message, true, cause);
    }
    throw error;
  }

  /** From now on nobody is sooner, unless this node takes its time. Resolves with the revision that says so; 0: it is another's turn. */
  async claimTurn(): Promise<number> {
    const { turn } = this.#keys;
    const { succeeded, revision } = await this.#gateway.transaction(
      [hasRevision(turn, 0)],
      [put(turn, Buffer.alloc(1))],
    );
    return succeeded ? revision : 0;
  }

  /** After this, nothing can be appended any more that went by an older mandate of the node. Resolves with the revision of the new one. Rejects as `look`. */
  async renewMandate(node: string): Promise<number> {
    const { revision } = await this.#gateway.transaction([], [put(this.#keys.mandate(node), Buffer.alloc(0))]);
    return revision;
  }

  /**
   * After this, no append to `place` that was sent before can come about any more: the head is written once more as it is. Resolves with the revision of that, or with
   * how the log stands when the head was written meanwhile.
   */
  fence(place: Place): Promise<Appended> {
    return this.#behind(place, [put(this.#keys.head, encodeHead(place.head))]);
  }

  async #behind(
    { head, revision: written }: Place,
    operations: readonly Operation[],
    conditions: readonly Compare[] = [],
  ): Promise<Appended> {
    const { head: key } = this.#keys;
    const compares = [hasRevision(key, written), ...conditions];
    // An etcd that was restored from an older backup counts its revisions anew from there.
    if (written > 0) compares.push(hasValue(key, encodeHead(head)));
    const { succeeded, revision, ranges } = await this.#gateway.transaction(
      compares,
      operations,
      this.#looking(head.sequence + 1),
    );
    return succeeded ? { revision } : { state: await this.#stateOf(ranges, revision) };
  }

  /** Takes away the groups that begin before `floor`, as far as another begins after them. */
  async forget(floor: number): Promise<void> {
    const keys = this.#keys;
    const { ranges } = await this.#gateway.transaction(
      [],
      [range(keys.log(floor), keys.logEnd, { limit: 1, keysOnly: true })],
    );
    const next = ranges[0]?.items[0];
    if (next === undefined) return;
    const first = sequenceOf(next.key);
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(first, 0, 6);
    await this.#gateway.transaction(
      [],
      [remove(keys.log(0), keys.log(first)), remove(keys.parts, keys.partsBefore(first)), put(keys.floor, bytes)],
    );
  }

  /** Groups as they are appended, from a revision on. `onGroup` is called in order, once what is larger than a request has been fetched. Rejects as the gateway's `watch`. */
  async watch(revision: number, onGroup: (group: LoggedGroup) => void, signal: AbortSignal): Promise<never> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    let before: Promise<void> = Promise.resolve();
    const take = (item: KeyValue): void => {
      before = before
        .then(() => this.#groupOf(item))
        .then((group) => {
          if (!either.aborted) onGroup(group);
        });
      before.catch((error: unknown) => failed.abort(error));
    };
    return await this.#gateway.watch(
      this.#keys.log(0),
      this.#keys.logEnd,
      revision,
      ({ puts }) => puts.forEach(take),
      either,
    );
  }

  #looking(from: number): Operation[] {
    return [
      range(this.#keys.head),
      range(this.#keys.floor),
      range(this.#keys.turn, undefined, { keysOnly: true }),
      range(this.#keys.log(from), this.#keys.logEnd, { limit: LOOK }),
    ];
  }

  async #stateOf(
    ranges: readonly ({ readonly items: readonly KeyValue[] } | null)[],
    revision: number,
  ): Promise<LogState> {
    const [head, floor, turn, log] = ranges.map((found) => found?.items ?? []);
    const groups: LoggedGroup[] = [];
    for (const item of log) groups.push(await this.#groupOf(item));
    return {
      head: head.length === 0 ? null : decodeHead(head[0].value),
      headRevision: head.length === 0 ? 0 : head[0].modRevision,
      turn: turn[0]?.modRevision ?? 0,
      floor: floor.length === 0 ? 1 : floor[0].value.readUIntBE(0, 6),
      groups,
      revision,
    };
  }

  async #groupOf({ key, value, modRevision }: KeyValue): Promise<LoggedGroup> {
    const first = sequenceOf(key);
    const group = this.#sent?.value.equals(value) ? this.#sent : decodeGroup(value);
    if ('entries' in group) return { first, entries: group.entries, revision: modRevision };
    const { count, hash } = group;
    const parts: Buffer[] = [];
    for (let n = 0; n < count; n += PARTS) {
      const wanted = Array.from({ length: Math.min(PARTS, count - n) }, (_, i) =>
        range(this.#keys.part(first, hash, n + i)),
      );
      const { ranges } = await this.#gateway.transaction([], wanted);
      for (const found of ranges) {
        if (found?.items.length !== 1) throw new Error(`a part of the group at ${first} is missing`);
        parts.push(found.items[0].value);
      }
    }
    return { first, entries: joinParts(parts, group), revision: modRevision };
  }
}

/** Throws Error for a key that is none of the log. */
function sequenceOf(key: Buffer): number {
  const sequence = Number.parseInt(key.subarray(key.lastIndexOf('/') + 1).toString(), 16);
  if (!Number.isSafeInteger(sequence)) throw new Error(`a key of the log is damaged: ${key}`);
  return sequence;
}

/** What may be done twice is tried once more. */
async function harmless<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EtcdUnavailable)) throw error;
    return work();
  }
}
