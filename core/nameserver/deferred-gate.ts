/**
 * Decides on the receiving thread what happens to a deferred message. The thread itself refuses
 * what the main thread would only refuse, and its refusals count towards the rate limit. So a flood
 * neither loads the main thread nor uses up the capacity for permitted clients.
 */

import { EXTENDED_ERROR } from '../dns/wire/edns.ts';
import { HEADER_LENGTH, TC } from '../dns/wire/header.ts';
import { type Name, nameAt } from '../dns/wire/name.ts';
import { OPCODE, RCODE } from '../dns/wire/types.ts';
import type { Client } from '../net/address/client.ts';
import { DEFERRED, type Responder } from '../zone/answer/responder.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import { PrefixList } from './rate-limit-prefixes.ts';
import { unhandledRcode } from './refusal.ts';

export class DeferredGate {
  readonly #responder: Responder;
  readonly #counters: ThreadCounters;
  readonly #isHandled: boolean;
  readonly #transferAllow: PrefixList | null;
  readonly #findPrefixes: (apex: Name) => readonly string[];

  /**
   * `isHandled`: the main thread handles deferred messages. `transferAllow`: clients that may
   * transfer zones without a signature; null: the main thread decides. `findPrefixes`: those of
   * clients that may transfer a single zone.
   */
  constructor(
    responder: Responder,
    counters: ThreadCounters,
    isHandled: boolean,
    transferAllow: PrefixList | null,
    findPrefixes: (apex: Name) => readonly string[] = () => [],
  ) {
    this.#responder = responder;
    this.#counters = counters;
    this.#isHandled = isHandled;
    this.#transferAllow = transferAllow;
    this.#findPrefixes = findPrefixes;
  }

  /**
   * Checks the message at bytes[start] from `client`, which was just deferred. Returns DEFERRED if
   * the main thread should answer it, or the length of the error response.
   */
  pass(bytes: Uint8Array, start: number, client: Client): number {
    const responder = this.#responder;
    const transferAllow = this.#transferAllow;
    if (!this.#isHandled) return responder.refuse(unhandledRcode(bytes, start));
    // The main thread knows the primaries that may send NOTIFY.
    if (((bytes[start + 2] >>> 3) & 15) === OPCODE.NOTIFY) return DEFERRED;
    // Unsigned messages here are AXFR and IXFR. The same refusal for every zone does not reveal
    // which zones exist.
    if (transferAllow === null || responder.query.isSigned || transferAllow.includes(client)) return DEFERRED;
    const prefixes = this.#findPrefixes(nameAt(bytes, start + HEADER_LENGTH));
    if (prefixes.length > 0 && new PrefixList(prefixes).includes(client)) return DEFERRED;
    this.#counters.count(COLUMN.transfersRefused);
    return responder.refuse(RCODE.REFUSED, EXTENDED_ERROR.PROHIBITED);
  }

  /**
   * Answers the deferred message with SERVFAIL, because the main thread has no capacity or the
   * client has reached its limit. Clients retry later. Returns the length of the response.
   */
  refuseBusy(): number {
    return this.#responder.refuse(RCODE.SERVFAIL);
  }

  /**
   * Answers the deferred message at bytes[start] with TC, so that the client retries over TCP,
   * where addresses cannot be forged. Returns the length of the response.
   *
   * The response has no records, so that it does not amplify traffic towards a forged address. An
   * UPDATE also gets SERVFAIL: some clients check only the response code, and NOERROR would confirm
   * the update.
   */
  redirectToTcp(bytes: Uint8Array, start: number): number {
    const isUpdate = ((bytes[start + 2] >>> 3) & 15) === OPCODE.UPDATE;
    const length = this.#responder.refuse(isUpdate ? RCODE.SERVFAIL : RCODE.NOERROR);
    bytes[start + 2] |= TC;
    return length;
  }
}
