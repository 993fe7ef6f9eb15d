/**
 * etcd keeps each version of each key until a client says that nobody needs it: the head alone has
 * one for each group of entries.
 */
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { range } from '../journal/etcd-client/messages.ts';

export class Compaction {
  readonly #gateway: EtcdGateway;
  readonly #key: string;
  /** Of the turn before; 0: there was none. */
  #revision = 0;

  /** `key`: any, for reading. */
  constructor(gateway: EtcdGateway, key: string) {
    this.#gateway = gateway;
    this.#key = key;
  }

  /**
   * Deletes what was replaced before the last turn: a watch that is behind by less than one
   * misses nothing. Rejects with EtcdUnavailable and EtcdRefused.
   */
  async turn(): Promise<void> {
    const { revision } = await this.#gateway.transaction([], [range(this.#key, undefined, { keysOnly: true })]);
    // Less: of an older backup.
    if (this.#revision > 0 && this.#revision <= revision) await this.#gateway.compact(this.#revision);
    this.#revision = revision;
  }
}
