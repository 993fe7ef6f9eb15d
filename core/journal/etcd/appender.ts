/** Appends groups to the log, and finds out about those of which no answer came. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdUnavailable } from '../../etcd/errors.ts';
import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import type { Group } from '../commit/commit-queue.ts';
import { encodeGroup } from './etcd-keys.ts';
import type { Appended, EtcdLog, LogState, Mandates } from './shared-log.ts';

/** Milliseconds until what had no answer is tried again. */
const RETRY_PAUSE = 50;

export class Appender {
  readonly #log: EtcdLog;
  readonly #deadline: number;
  /** Of etcd, when the head that is applied here was written last, by all that is known. */
  headRevision = 0;

  /** `deadline`: milliseconds after which an append without an answer is given up. */
  constructor(log: EtcdLog, deadline: number) {
    this.#log = log;
    this.#deadline = deadline;
  }

  /**
   * Puts a group behind `head`, by the revision of a claim and by mandates: see EtcdLog.append. When it is not known whether it was appended, that is found out. Rejects with EtcdUnavailable, whose
   * `mayHappen` says that the group may be in the log all the same, and with EtcdRefused.
   */
  async append({ links, hash }: Group, head: Head, claim: number, mandates: Mandates): Promise<Appended> {
    const encoded = encodeGroup(links.map(({ bytes }) => bytes));
    const until = performance.now() + this.#deadline;
    const next = { sequence: head.sequence + links.length, hash };
    let isInDoubt = false;
    for (;;) {
      try {
        const place = { head, revision: this.headRevision };
        if (!isInDoubt) return await this.#log.append(encoded, place, next, claim, mandates);
        const fenced = await this.#log.fence(place);
        if ('state' in fenced) return isOurs(fenced.state, links) ?? fenced;
        this.headRevision = fenced.revision;
        isInDoubt = false;
      } catch (error) {
        isInDoubt ||= error instanceof EtcdUnavailable && error.mayHappen;
        // Why that could not be found out says nothing of what was sent before.
        if (!(error instanceof EtcdUnavailable) || performance.now() > until)
          throw isInDoubt ? new EtcdUnavailable((error as Error).message, true, error) : error;
        await sleep(RETRY_PAUSE);
      }
    }
  }
}

function isOurs({ groups }: LogState, links: readonly Link[]): { revision: number } | null {
  const found = groups.find(({ first }) => first === links[0].applied.entry.sequence);
  if (found?.entries.length !== links.length) return null;
  return found.entries.every((bytes, i) => bytes.equals(links[i].bytes)) ? { revision: found.revision } : null;
}
