/**
 * Dynamic update (RFC 2136): a client that signs with a key of an account (TSIG, RFC 8945) changes
 * the records of its zones. Unsigned messages are refused. The signed response is sent when the
 * change is served.
 */

import { InvalidError } from '../../../core/base/errors.ts';
import { FairSlots } from '../../../core/base/fair-slots.ts';
import type { Counter, Registry } from '../../../core/base/metrics/index.ts';
import { bareResponse } from '../../../core/dns/wire/bare-response.ts';
import { HEADER_LENGTH, QR } from '../../../core/dns/wire/header.ts';
import { verifyTsig } from '../../../core/dns/wire/tsig.ts';
import { RCODE } from '../../../core/dns/wire/types.ts';
import { parseUpdate, parseUpdateZone } from '../../../core/dns/wire/update.ts';
import type { AnswerDeferred, DeferredRequest } from '../../../core/nameserver/deferred.ts';
import { isInNetworks } from '../../../core/net/address/index.ts';
import { type HeldKey, openKeyring } from '../../../core/store/tsig-keys/keyring.ts';
import type { Services } from '../../change/services.ts';
import { HttpError, statusOf } from '../../http/errors.ts';
import { ACCOUNT_SHARES, RateLimit } from '../../http/rate-limit.ts';
import { nowSeconds } from '../../http/time.ts';
import { refused, UpdateError } from './fault.ts';
import { performUpdate, updatedDomain } from './perform.ts';

/** Maximum stored outcomes, of about 200 bytes each. The oldest is evicted first. */
const MAX_OUTCOMES = 50_000;

/**
 * Maximum updates in flight. One account with all its keys has half of them (FairSlots). Others get
 * SERVFAIL, so that the client retries.
 */
const MAX_UPDATES = 128;
/** Bytes of a signature that identify it. */
const SIGNATURE_PREFIX = 16;

const FIVE_MINUTES = 300;

/**
 * Handles messages with opcode UPDATE. Keys and accounts have the same rate limits as in the API
 * (`rate_limit`).
 */
export function createUpdateHandler(services: Services, metrics: Registry): AnswerDeferred {
  const handler = new UpdateHandler(services, metrics);
  return (request) => handler.answer(request);
}

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([name, rcode]) => [rcode, name]));

class UpdateHandler {
  readonly #findKey;
  readonly #rate: RateLimit;
  readonly #accountRate: RateLimit;
  readonly #answered: Counter;
  readonly #repeats = new Repeats(nowSeconds);
  readonly #slots = new FairSlots({ slots: MAX_UPDATES, queue: 0 });

  constructor(
    private readonly services: Services,
    metrics: Registry,
  ) {
    this.#findKey = openKeyring(services.reader, services.secrets);
    this.#answered = metrics.counter('waypost_dns_updates_total', 'Responses to dynamic updates, by response code.', [
      'rcode',
    ]);
    const { rateLimit } = services.config;
    this.#rate = new RateLimit('update', rateLimit, FIVE_MINUTES);
    this.#accountRate = new RateLimit('updates of the account', ACCOUNT_SHARES * rateLimit, FIVE_MINUTES);
  }

  async *answer({ message, address, cancelled, verified }: DeferredRequest): AsyncGenerator<Uint8Array> {
    // Drops responses, which must not be answered.
    if (message.length < HEADER_LENGTH || (message[2] & QR) !== 0) return;
    const verdict = verifyTsig(message, this.#findKey, nowSeconds());
    if (verdict.kind === 'none') {
      this.#count(RCODE.REFUSED);
      yield bareResponse(message, RCODE.REFUSED, verdict.opt);
    } else if (verdict.kind === 'error') {
      this.services.log.debug('dynamic update not verified', { rcode: verdict.rcode, tsig: verdict.error, address });
      this.#count(verdict.rcode);
      yield verdict.response();
    } else if (!cancelled.aborted) {
      const { key, message: unsigned, mac, opt, goodUntil, signer } = verdict;
      const signature = `${key.row.id} ${Buffer.from(mac).toString('latin1', 0, SIGNATURE_PREFIX)}`;
      // A repeated message does not count for the rate limit of the key: anyone who has seen a
      // message can send it again.
      const rcode = await this.#repeats.once(
        signature,
        goodUntil,
        () => {
          verified?.();
          return this.#take(key, unsigned, mac, address);
        },
        (code) => code !== RCODE.SERVFAIL,
      );
      this.#count(rcode);
      yield signer.sign(bareResponse(unsigned, rcode, opt), nowSeconds());
    }
  }

  #count(rcode: number): void {
    this.#answered.add(1, NAMES.get(rcode) ?? String(rcode));
  }

  async #take(key: HeldKey, message: Uint8Array, mac: Uint8Array, address: string): Promise<number> {
    const { id } = key.account;
    // Accounts that share a network are not slower than others.
    const slot = this.#slots.tryAcquire({ account: String(id), network: '' });
    if (slot === null) return RCODE.SERVFAIL;
    try {
      this.#rate.take(key.row.id, {});
      if (key.account.role !== 'admin') this.#accountRate.take(id, {});
      const { networks } = key.row;
      if (networks !== undefined && !isInNetworks(networks, address)) throw refused('the key is for other networks');
      // In the order of RFC 2136 section 3: first the zone and the permission, then the records.
      updatedDomain(this.services.reader, key, parseUpdateZone(message));
      const update = parseUpdate(message);
      if (update.version !== null && update.version > 0) return RCODE.BADVERS;
      await performUpdate(this.services, key, address, mac, update);
      return RCODE.NOERROR;
    } catch (error) {
      return this.#codeOf(error, key);
    } finally {
      slot.release();
    }
  }

  /** The response code for an error; also logs the error. */
  #codeOf(error: unknown, { row }: HeldKey): number {
    const { log } = this.services;
    const reject = (rcode: number, why: string): number => {
      const fields = { key: row.name, rcode, why };
      if (DEBUG_CODES.has(rcode)) log.debug('dynamic update rejected', fields);
      else log.info('dynamic update rejected', fields);
      return rcode;
    };
    if (error instanceof UpdateError) return reject(error.rcode, error.message);
    if (error instanceof InvalidError) return reject(RCODE.FORMERR, error.message);
    const status = statusOf(error);
    // Rate limit, conflicts, shutdown, or a full disk: a retry may succeed.
    if (status === 429 || status === 503 || status === 507) return reject(RCODE.SERVFAIL, (error as Error).message);
    // The account was deleted, so it has no zones.
    if (error instanceof HttpError) return reject(RCODE.REFUSED, error.code);
    log.error('dynamic update failed unexpectedly', { key: row.name, error: error as Error });
    return RCODE.SERVFAIL;
  }
}

/**
 * Codes that are logged only at debug: a failed prerequisite is a normal response, and a key over
 * its limit must not fill the log.
 */
const DEBUG_CODES: ReadonlySet<number> = new Set([
  RCODE.NXDOMAIN,
  RCODE.YXDOMAIN,
  RCODE.NXRRSET,
  RCODE.YXRRSET,
  RCODE.SERVFAIL,
]);

interface Outcome {
  readonly rcode: Promise<number>;
  readonly until: number;
}

/**
 * Recognizes repeated updates. A UDP client repeats a message if the response was lost, and anyone
 * who has seen a message can repeat it while its time is valid. A repetition gets the first
 * response, and nothing is applied twice.
 */
export class Repeats {
  readonly #outcomes = new Map<string, Outcome>();

  /** `now`: in seconds, of the clock that validates signatures. */
  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.#outcomes.size;
  }

  /**
   * Returns the response code of the update with this signature, which is valid `until` a second
   * that the sender chose. The first time, calls `work`. Does not store errors of `work`, and codes
   * for which `isFinal` is false.
   */
  once(
    signature: string,
    until: number,
    work: () => Promise<number>,
    isFinal: (rcode: number) => boolean,
  ): Promise<number> {
    const now = this.now();
    const before = this.#outcomes.get(signature);
    if (before !== undefined && before.until >= now) return before.rcode;
    this.#evict(now);
    const rcode = work();
    const outcome: Outcome = { rcode, until };
    // Moves the outcome to the end, so that the oldest are first.
    this.#outcomes.delete(signature);
    this.#outcomes.set(signature, outcome);
    const drop = (): void => {
      if (this.#outcomes.get(signature) === outcome) this.#outcomes.delete(signature);
    };
    rcode.then((code) => isFinal(code) || drop(), drop);
    return rcode;
  }

  #evict(now: number): void {
    for (const [signature, { until }] of this.#outcomes) {
      if (until >= now && this.#outcomes.size < MAX_OUTCOMES) return;
      this.#outcomes.delete(signature);
    }
  }
}
