/**
 * The log of all nodes in etcd: groups of entries in their order, and the head, which every append
 * compares.
 */

import { decodeHead, encodeHead, type Head } from '../applied-head.ts';
import { decodeEntry } from '../entry-codec.ts';
import { EtcdDamaged, EtcdFull, EtcdRefused, EtcdUnavailable } from '../etcd-client/errors.ts';
import type { EtcdGateway } from '../etcd-client/gateway.ts';
import {
  type Compare,
  hasRevision,
  hasValue,
  type KeyValue,
  type Operation,
  put,
  range,
  remove,
} from '../etcd-client/messages.ts';
import { decodeGroup, type EncodedGroup, joinParts, type Keys, keysBelow } from './etcd-keys.ts';

/** Entries that were appended together and are applied together. */
export interface LoggedGroup {
  /** Sequence of the first entry. */
  readonly first: number;
  readonly entries: readonly Buffer[];
  /** The etcd revision of the append. */
  readonly revision: number;
}

/** The state of the log in one read. */
export interface LogState {
  /** Null: nothing was ever appended. */
  readonly head: Head | null;
  /** The etcd revision of the last write of the head; 0: none. */
  readonly headRevision: number;
  /** The etcd revision of the claim on the next append; 0: there is no claim. */
  readonly turn: number;
  /** The first sequence that is not deleted. */
  readonly floor: number;
  /** Groups from the requested sequence on. If they do not reach the head, there are more. */
  readonly groups: readonly LoggedGroup[];
  /** The etcd revision of the read; a watch continues after it. */
  readonly revision: number;
}

export type Appended = { readonly revision: number } | { readonly state: LogState };

/** Groups in one read: up to 2 MiB. */
const MAX_GROUPS = 16;
/** Parts in one request. */
const MAX_PARTS = 2;

/** The position of an append: the head before it. */
interface LogPosition {
  readonly head: Head;
  /** The etcd revision of the last write of the head; 0: it was never written. */
  readonly revision: number;
}

/** Mandates by node, for the forwarded commits of an append: see EtcdLog.renewMandate. */
export type Mandates = ReadonlyMap<string, number>;

const NONE: Mandates = new Map();

export class EtcdLog {
  readonly #keys: Keys;
  /** The group of the last append. When the watch delivers it, it need not be decompressed. */
  #sent: EncodedGroup | null = null;

  constructor(
    private readonly gateway: EtcdGateway,
    prefix: string,
  ) {
    this.#keys = keysBelow(prefix);
  }

  /** Rejects with EtcdUnavailable, EtcdRefused and EtcdDamaged. */
  async read(from: number): Promise<LogState> {
    const { ranges, revision } = await this.gateway.transaction([], this.#readOperations(from));
    return this.#stateOf(ranges, revision);
  }

  /** The sequence of the last entry. Rejects like `read`. */
  async readEnd(): Promise<number> {
    const { ranges } = await this.gateway.transaction([], [range(this.#keys.head)]);
    const found = ranges[0]?.items[0];
    return found === undefined ? 0 : headOf(found).sequence;
  }

  /**
   * Writes the first head, from the node whose data becomes that of the cluster. False: a head
   * exists already.
   */
  async initialize(head: Head): Promise<boolean> {
    const floor = Buffer.alloc(6);
    floor.writeUIntBE(head.sequence + 1, 0, 6);
    const { succeeded } = await this.gateway.transaction(
      [hasRevision(this.#keys.head, 0)],
      [put(this.#keys.head, encodeHead(head)), put(this.#keys.floor, floor)],
    );
    return succeeded;
  }

  /** Whether this head is part of this log, as far back as the log reaches. */
  async contains(head: Head): Promise<boolean> {
    const { head: last, groups } = await this.read(head.sequence + 1);
    if (last?.sequence === head.sequence) return last.hash.equals(head.hash);
    const [next] = groups;
    return next?.first === head.sequence + 1 && decodeEntry(next.entries[0]).previousHash.equals(head.hash);
  }

  /**
   * Appends a group after `position`, with `head` as the new head. Conditions: the head is
   * unchanged, the current claim on the next append is `turn`, and all mandates are current.
   * `turn`: the revision of a claim, which the append ends; 0: there is no claim. If a condition is
   * not met, for example because another node was faster, resolves with the state of the log.
   * Rejects with EtcdRefused, and with EtcdUnavailable; see its `mayHappen`.
   */
  async append(
    group: EncodedGroup,
    position: LogPosition,
    head: Head,
    turn = 0,
    mandates: Mandates = NONE,
  ): Promise<Appended> {
    const first = position.head.sequence + 1;
    this.#sent = group;
    const parts = group.parts.map((part, n) => put(this.#keys.part(first, group.hash, n), part));
    // A single part fits into the request of its group.
    if (parts.length > 1)
      for (const part of parts.splice(0)) await retryOnce(() => this.gateway.transaction([], [part]));
    const { head: key, log, turn: turnKey } = this.#keys;
    const puts = [...parts, put(key, encodeHead(head)), put(log(first), group.value)];
    try {
      const standing = Array.from(mandates, ([node, revision]) => hasRevision(this.#keys.mandate(node), revision));
      const operations = turn === 0 ? puts : [...puts, remove(turnKey)];
      return await this.#transact(position, operations, [hasRevision(turnKey, turn), ...standing]);
    } catch (error) {
      if (!(error instanceof EtcdFull)) throw error;
      return await this.#checkAfterFull(error, first, group);
    }
  }

  /** Determines whether an append was carried out that etcd rejected for lack of space. */
  async #checkAfterFull(error: EtcdFull, first: number, { value }: EncodedGroup): Promise<Appended> {
    try {
      const { ranges } = await this.gateway.transaction([], [range(this.#keys.log(first))]);
      const item = ranges[0]?.items[0];
      if (item?.value.equals(value)) return { revision: item.modRevision };
    } catch (cause) {
      throw new EtcdUnavailable((cause as Error).message, true, cause);
    }
    throw error;
  }

  /**
   * Claims the next append for this node; the claim expires if the node is slow. Resolves with its
   * revision; 0: another node has a claim.
   */
  async claimTurn(): Promise<number> {
    const { turn } = this.#keys;
    const { succeeded, revision } = await this.gateway.transaction(
      [hasRevision(turn, 0)],
      [put(turn, Buffer.alloc(1))],
    );
    return succeeded ? revision : 0;
  }

  /**
   * Invalidates the older mandates of the node: nothing can be appended with them any more.
   * Resolves with the revision of the new mandate. Rejects like `read`.
   */
  async renewMandate(node: string): Promise<number> {
    const { revision } = await this.gateway.transaction([], [put(this.#keys.mandate(node), Buffer.alloc(0))]);
    return revision;
  }

  /**
   * Writes the head again unchanged, so that appends to `position` that were sent before can no
   * longer succeed. Resolves with the new revision; or with the state of the log if the head was
   * written in the meantime.
   */
  fence(position: LogPosition): Promise<Appended> {
    return this.#transact(position, [put(this.#keys.head, encodeHead(position.head))]);
  }

  async #transact(
    { head, revision: headRevision }: LogPosition,
    operations: readonly Operation[],
    conditions: readonly Compare[] = [],
  ): Promise<Appended> {
    const { head: key } = this.#keys;
    const compares = [hasRevision(key, headRevision), ...conditions];
    // An etcd that was restored from an older backup reuses revisions.
    if (headRevision > 0) compares.push(hasValue(key, encodeHead(head)));
    const { succeeded, revision, ranges } = await this.gateway.transaction(
      compares,
      operations,
      this.#readOperations(head.sequence + 1),
    );
    return succeeded ? { revision } : { state: await this.#stateOf(ranges, revision) };
  }

  /**
   * Deletes the groups before `floor`. A group is deleted only if a later one starts at or after
   * `floor`.
   */
  async truncate(floor: number): Promise<void> {
    const keys = this.#keys;
    const { ranges } = await this.gateway.transaction(
      [],
      [range(keys.log(floor), keys.logEnd, { limit: 1, keysOnly: true })],
    );
    const next = ranges[0]?.items[0];
    if (next === undefined) return;
    const first = sequenceOf(next.key);
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(first, 0, 6);
    await this.gateway.transaction(
      [],
      [remove(keys.log(0), keys.log(first)), remove(keys.parts, keys.partsBefore(first)), put(keys.floor, bytes)],
    );
  }

  /**
   * Watches for appended groups, from a revision on. Calls `onGroup` in order, after all parts of a
   * group were fetched. Rejects like the gateway's `watch`.
   */
  async watch(revision: number, onGroup: (group: LoggedGroup) => void, signal: AbortSignal): Promise<never> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    let previous: Promise<void> = Promise.resolve();
    const enqueue = (item: KeyValue): void => {
      previous = previous
        .then(() => this.#groupOf(item))
        .then((group) => {
          if (!either.aborted) onGroup(group);
        });
      previous.catch((error: unknown) => failed.abort(error));
    };
    return await this.gateway.watch(
      this.#keys.log(0),
      this.#keys.logEnd,
      revision,
      ({ puts }) => puts.forEach(enqueue),
      either,
    );
  }

  #readOperations(from: number): Operation[] {
    return [
      range(this.#keys.head),
      range(this.#keys.floor),
      range(this.#keys.turn, undefined, { keysOnly: true }),
      range(this.#keys.log(from), this.#keys.logEnd, { limit: MAX_GROUPS }),
    ];
  }

  async #stateOf(
    ranges: readonly ({ readonly items: readonly KeyValue[] } | null)[],
    revision: number,
  ): Promise<LogState> {
    const [head, floor, turn, log] = ranges.map((found) => found?.items ?? []);
    // The floor and every group are written together with a head.
    if (head.length === 0 && floor.length + log.length > 0) throw new EtcdDamaged(this.#keys.head, 'it is missing');
    const last = head.length === 0 ? null : headOf(head[0]);
    const first = floor.length === 0 ? 1 : floorOf(floor[0], last);
    const groups: LoggedGroup[] = [];
    for (const item of log) groups.push(await this.#groupOf(item));
    return {
      head: last,
      headRevision: head.length === 0 ? 0 : head[0].modRevision,
      turn: turn[0]?.modRevision ?? 0,
      floor: first,
      groups,
      revision,
    };
  }

  /** Rejects like `read`. */
  async #groupOf(item: KeyValue): Promise<LoggedGroup> {
    try {
      return await this.#decode(item);
    } catch (error) {
      if (error instanceof EtcdUnavailable || error instanceof EtcdRefused) throw error;
      throw new EtcdDamaged(item.key.toString(), (error as Error).message);
    }
  }

  async #decode({ key, value, modRevision }: KeyValue): Promise<LoggedGroup> {
    const first = sequenceOf(key);
    const group = this.#sent?.value.equals(value) ? this.#sent : decodeGroup(value);
    if ('entries' in group) return { first, entries: group.entries, revision: modRevision };
    const { count, hash } = group;
    const parts: Buffer[] = [];
    for (let n = 0; n < count; n += MAX_PARTS) {
      const wanted = Array.from({ length: Math.min(MAX_PARTS, count - n) }, (_, i) =>
        range(this.#keys.part(first, hash, n + i)),
      );
      const { ranges } = await this.gateway.transaction([], wanted);
      for (const found of ranges) {
        if (found?.items.length !== 1) throw new Error(`a part of the group at ${first} is missing`);
        parts.push(found.items[0].value);
      }
    }
    return { first, entries: joinParts(parts, group), revision: modRevision };
  }
}

/** Throws EtcdDamaged. */
function headOf({ key, value }: KeyValue): Head {
  try {
    return decodeHead(value);
  } catch (error) {
    throw new EtcdDamaged(key.toString(), (error as Error).message);
  }
}

/** Throws EtcdDamaged. */
function floorOf({ key, value }: KeyValue, head: Head | null): number {
  const floor = value.length === 6 ? value.readUIntBE(0, 6) : 0;
  const end = (head?.sequence ?? 0) + 1;
  if (floor >= 1 && floor <= end) return floor;
  throw new EtcdDamaged(key.toString(), `it is not the sequence of an entry up to ${end}`);
}

/** Throws Error for a key that does not belong to the log. */
function sequenceOf(key: Buffer): number {
  const sequence = Number.parseInt(key.subarray(key.lastIndexOf('/') + 1).toString(), 16);
  if (!Number.isSafeInteger(sequence)) throw new Error(`a key of the log is damaged: ${key}`);
  return sequence;
}

/** Retries idempotent work once. */
async function retryOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EtcdUnavailable)) throw error;
    return work();
  }
}
