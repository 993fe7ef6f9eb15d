/**
 * Reads nodes from the answers table of LMDB, for an index reader. A thread of its own opens the
 * environment when the first node is needed; the main thread shares its own.
 */

import { LOWER, type Name, nameAt } from '../dns/wire/name.ts';
import { type Binary, type Environment, openEnvironment } from '../store/environment.ts';
import { afterPrefix, domainNameKey, writeNameKey } from '../store/keys.ts';
import { findOrdered } from '../store/ordered-entries.ts';
import { ALLOW_AXFR_FROM, zoneLabels } from '../store/rows.ts';
import type { NodeStore } from '../zone/answer/index-reader.ts';

export class LmdbNodeStore implements NodeStore {
  readonly #directory: string;
  readonly #isShared: boolean;
  #environment: Environment | null = null;
  #answers: Binary | null = null;
  /** Keys of every length are views of one buffer, so that a lookup allocates nothing. */
  readonly #keyBytes = new Uint8Array(1025);
  readonly #keys: Uint8Array[] = Array.from({ length: 1026 }, (_, length) => this.#keyBytes.subarray(0, length));

  /** `environment`: of this thread, which stays open; omitted: it is opened in `directory`. */
  constructor(directory: string, environment?: Environment) {
    this.#directory = directory;
    this.#isShared = environment !== undefined;
    if (environment === undefined) return;
    this.#environment = environment;
    this.#answers = environment.answers;
  }

  /** Opens the environment now: opening it later would wait for a write in progress. */
  open(): void {
    this.#open();
  }

  refresh(): void {
    this.#environment?.root.resetReadTxn();
  }

  fetch(bytes: Uint8Array, from: number, wildcard: boolean, out: Uint8Array, at: number, room: number): number {
    const answers = this.#answers ?? this.#open().answers;
    const keyBytes = this.#keyBytes;
    const keys = this.#keys;
    let length = writeNameKey(bytes, from, keyBytes, 0);
    if (wildcard) {
      keyBytes[length++] = 0x2a;
      keyBytes[length++] = 0;
    }
    // The root has no labels, and a key has at least one byte.
    let node = length === 0 ? undefined : answers.getBinaryFast(keys[length]);
    if (node === undefined && !wildcard) {
      keyBytes[0] = 0;
      node = answers.getBinaryFast(keys[writeNameKey(bytes, from, keyBytes, 1)]);
    }
    if (node === undefined || node.length > room) return 0;
    for (let i = 0, n = node.length; i < n; i++) out[at + i] = node[i];
    return node.length;
  }

  fetchEntry(bytes: Uint8Array, from: number, hash: Uint8Array, out: Uint8Array, at: number, room: number): number {
    const { nsec3, lookups } = this.#environment ?? this.#open();
    const first = lookups.get(domainNameKey(nameAt(bytes, from)));
    if (first === undefined) return 0;
    const start = Buffer.concat([first, hash]);
    // A range in reverse includes its start.
    for (const range of [
      { start, end: first },
      { start: afterPrefix(first)!, end: first },
    ])
      for (const { key, value } of nsec3.getRange({ ...range, reverse: true, limit: 2 })) {
        if (first.compare(key, 0, first.length) !== 0) continue;
        const length = value.readUInt32BE(0);
        if (length > room) return 0;
        for (let i = 0; i < length; i++) out[at + i] = value[i];
        return length;
      }
    return 0;
  }

  fetchOrdered(bytes: Uint8Array, from: number, key: Uint8Array, out: Uint8Array, at: number, room: number): number {
    const { nsec3, lookups } = this.#environment ?? this.#open();
    const zone = lookups.get(domainNameKey(nameAt(bytes, from)));
    const value = zone && findOrdered(nsec3, zone, key);
    const length = value === undefined ? 0 : value.readUInt32BE(0);
    if (value === undefined || length > room) return 0;
    for (let i = 0; i < length; i++) out[at + i] = value[i];
    return length;
  }

  /**
   * Prefixes of clients that may transfer the zone without a signature, in addition to those of
   * all zones. Not hot: read for transfers that are refused otherwise.
   */
  transferPrefixes(apex: Name): readonly string[] {
    const { lookups, rows } = this.#environment ?? this.#open();
    this.refresh();
    const id = lookups.get(domainNameKey(apex.map((byte) => LOWER[byte])));
    const row = id && rows.get(zoneLabels.number)?.get(id);
    return row === undefined || id === undefined ? [] : (zoneLabels.decode(id, row).metadata[ALLOW_AXFR_FROM] ?? []);
  }

  #open(): Environment {
    if (this.#environment === null) {
      this.#environment = openEnvironment(this.#directory);
      this.#answers = this.#environment.answers;
      this.refresh();
    }
    return this.#environment;
  }

  async close(): Promise<void> {
    if (!this.#isShared) await this.#environment?.close();
  }
}
