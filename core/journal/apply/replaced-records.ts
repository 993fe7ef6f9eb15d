/**
 * The records that an import in progress will replace, encoded for the history of the domain. They
 * are read ahead, in steps, because thousands of them take too long for one transaction.
 */
import type { Environment } from '../../store/environment.ts';
import { type HiddenRange, isHidden } from '../../store/hidden-rows.ts';
import { encodeRecordBefore } from '../../store/history.ts';
import { afterPrefix, idAt, idKey } from '../../store/keys.ts';
import { decodeZoneState, type ZoneState } from '../../store/zone-state.ts';
import { MAX_BYTES } from './domain-history.ts';

/** Records between two yields. */
const CHUNK = 32;

export class ReplacedRecords {
  /** All are read, or there are too many for the history. */
  isRead = false;
  readonly #encoded: Buffer[] = [];
  /** Of the zone when the first record was read. */
  readonly #revision: number;
  #reading: Generator<void> | null = null;

  constructor(
    private readonly environment: Environment,
    readonly range: HiddenRange,
  ) {
    const { revision, bytes } = this.#state;
    this.#revision = revision;
    this.isRead = bytes > MAX_BYTES;
  }

  get #state(): ZoneState {
    return decodeZoneState(this.environment.zones.get(idKey(this.range.domainId)));
  }

  /** The records, if all are read and none has changed since; undefined: they must be read now. */
  get current(): readonly Buffer[] | undefined {
    const { revision, recordCount } = this.#state;
    const isCurrent = this.isRead && revision === this.#revision && this.#encoded.length === recordCount;
    return isCurrent ? this.#encoded : undefined;
  }

  read(): Generator<void> {
    this.#reading ??= this.#read();
    return this.#reading;
  }

  *#read(): Generator<void> {
    const { environment, range } = this;
    const prefix = idKey(range.domainId);
    const end = afterPrefix(prefix);
    for (let start: Buffer | null = prefix; start !== null; ) {
      let last: Buffer | null = null;
      for (const { key, value } of environment.allRecords({ start, end, limit: CHUNK })) {
        last = key as Buffer;
        if (!isHidden(range, last))
          this.#encoded.push(encodeRecordBefore(idAt(last, last.length - 8), { key: last, value }));
      }
      start = last && Buffer.concat([last, Uint8Array.of(0)]);
      yield;
    }
    this.isRead = true;
  }
}
