/**
 * Reads nodes from the answers table of LMDB, for a thread with its own index reader. The
 * environment is opened when the first node is needed.
 */
import type { NodeStore } from '../answer/index-reader.ts';
import { type Binary, type Environment, openEnvironment } from '../store/environment.ts';
import { writeNameKey } from '../store/keys.ts';

export class LmdbNodeStore implements NodeStore {
  readonly #directory: string;
  #environment: Environment | null = null;
  #answers: Binary | null = null;
  /** Keys of every length are views of one buffer, so that a lookup allocates nothing. */
  readonly #keyBytes = new Uint8Array(1025);
  readonly #keys: Uint8Array[] = Array.from({ length: 1026 }, (_, length) => this.#keyBytes.subarray(0, length));

  constructor(directory: string) {
    this.#directory = directory;
  }

  refresh(): void {
    this.#environment?.root.resetReadTxn();
  }

  fetch(bytes: Uint8Array, from: number, wildcard: boolean, out: Uint8Array, at: number, room: number): number {
    if (this.#answers === null) {
      this.#environment = openEnvironment(this.#directory);
      this.#answers = this.#environment.answers;
      this.refresh();
    }
    const keyBytes = this.#keyBytes;
    const keys = this.#keys;
    let length = writeNameKey(bytes, from, keyBytes, 0);
    if (wildcard) {
      keyBytes[length++] = 0x2a;
      keyBytes[length++] = 0;
    }
    let node = this.#answers.getBinaryFast(keys[length]);
    if (node === undefined && !wildcard) {
      keyBytes[0] = 0;
      node = this.#answers.getBinaryFast(keys[writeNameKey(bytes, from, keyBytes, 1)]);
    }
    if (node === undefined || node.length > room) return 0;
    for (let i = 0, n = node.length; i < n; i++) out[at + i] = node[i];
    return node.length;
  }

  async close(): Promise<void> {
    await this.#environment?.close();
  }
}
