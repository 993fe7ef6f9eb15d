/**
 * What becomes of a message that the query path leaves to others, on the thread that received it: what main would only refuse is refused here, under the
 * limit of responses, so that a flood costs main nothing and takes no room from those who may.
 */

import type { Client } from '../address/client.ts';
import { DEFERRED, type Responder } from '../answer/responder.ts';
import { EXTENDED_ERROR } from '../wire/edns.ts';
import { TC } from '../wire/header.ts';
import { OPCODE, RCODE } from '../wire/types.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import type { PrefixList } from './rate-limit-prefixes.ts';
import { nobodysCode } from './refusal.ts';

export class DeferredGate {
  readonly #responder: Responder;
  readonly #counters: ThreadCounters;
  readonly #isTaken: boolean;
  readonly #transferAllow: PrefixList | null;

  /** `isTaken`: main takes such messages. `transferAllow`: who may transfer without a signature; null: main knows. */
  constructor(responder: Responder, counters: ThreadCounters, isTaken: boolean, transferAllow: PrefixList | null) {
    this.#responder = responder;
    this.#counters = counters;
    this.#isTaken = isTaken;
    this.#transferAllow = transferAllow;
  }

  /** The message at bytes[start] that `client` sent has just been deferred. Returns DEFERRED when it is for main, or the length of the response in its place. */
  pass(bytes: Uint8Array, start: number, client: Client): number {
    const responder = this.#responder;
    const transferAllow = this.#transferAllow;
    if (!this.#isTaken) return responder.refuse(nobodysCode(bytes, start));
    // Without a signature only AXFR and IXFR come here. Whether there is such a zone is nothing that is told to whoever may not have it.
    if (transferAllow === null || responder.query.signed || transferAllow.holds(client)) return DEFERRED;
    this.#counters.count(COLUMN.transfersRefused);
    return responder.refuse(RCODE.REFUSED, EXTENDED_ERROR.PROHIBITED);
  }

  /** Main has no room for the message just deferred, or for more of its client. Returns the length of the response in its place: to come again later. */
  full(): number {
    return this.#responder.refuse(RCODE.SERVFAIL);
  }

  /**
   * The same over UDP, for the message that came at bytes[start]: TC, so that the client comes again over TCP, where nobody forges. The response has no
   * records, so that it is of little use against a forged sender. To an UPDATE it is SERVFAIL, too: some clients look at the code alone, and NOERROR would
   * tell them that the update was made.
   */
  overTcp(bytes: Uint8Array, start: number): number {
    const isUpdate = ((bytes[start + 2] >>> 3) & 15) === OPCODE.UPDATE;
    const length = this.#responder.refuse(isUpdate ? RCODE.SERVFAIL : RCODE.NOERROR);
    bytes[start + 2] |= TC;
    return length;
  }
}
