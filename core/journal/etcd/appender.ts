/**
 * Appends groups to the log. If an append gets no response, determines whether etcd carried it out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import type { Group } from '../commit/commit-queue.ts';
import { EtcdUnavailable } from '../etcd-client/errors.ts';
import { encodeGroup } from './etcd-keys.ts';
import type { Appended, EtcdLog, LogState, Mandates } from './shared-log.ts';

/** Milliseconds before a retry. */
const RETRY_PAUSE = 50;

export class Appender {
  readonly #log: EtcdLog;
  readonly #deadline: number;
  /** The etcd revision of the latest known write of the head that is applied here. */
  headRevision = 0;

  /** `deadline`: milliseconds after which an append without a response is given up. */
  constructor(log: EtcdLog, deadline: number) {
    this.#log = log;
    this.#deadline = deadline;
  }

  /**
   * Appends a group after `head`, with the revision of a claim and with mandates: see
   * EtcdLog.append. If the outcome is unknown, it is determined first. Rejects with EtcdRefused,
   * and with EtcdUnavailable; its `mayHappen` means that the group may be in the log anyway.
   */
  async append({ links, hash }: Group, head: Head, claim: number, mandates: Mandates): Promise<Appended> {
    const encoded = encodeGroup(links.map(({ bytes }) => bytes));
    const deadline = performance.now() + this.#deadline;
    const next = { sequence: head.sequence + links.length, hash };
    let isInDoubt = false;
    for (;;) {
      try {
        const position = { head, revision: this.headRevision };
        if (!isInDoubt) return await this.#log.append(encoded, position, next, claim, mandates);
        const outcome = await this.#log.fence(position);
        if ('state' in outcome) return findAppended(outcome.state, links) ?? outcome;
        this.headRevision = outcome.revision;
        isInDoubt = false;
      } catch (error) {
        isInDoubt ||= error instanceof EtcdUnavailable && error.mayHappen;
        // This error concerns the check of the outcome. The group may still be in the log.
        if (!(error instanceof EtcdUnavailable) || performance.now() > deadline)
          throw isInDoubt ? new EtcdUnavailable((error as Error).message, true, error) : error;
        await sleep(RETRY_PAUSE);
      }
    }
  }
}

function findAppended({ groups }: LogState, links: readonly Link[]): { revision: number } | null {
  const found = groups.find(({ first }) => first === links[0].applied.entry.sequence);
  if (found?.entries.length !== links.length) return null;
  return found.entries.every((bytes, i) => bytes.equals(links[i].bytes)) ? { revision: found.revision } : null;
}
