/**
 * Dynamic update (RFC 2136): who signs with a key of an account (TSIG, RFC 8945) changes the records of its zones. What is not signed is refused. The answer
 * leaves when the change is served; it is signed, too.
 */

import { InvalidError } from '../../core/base/errors.ts';
import type { Counter, Registry } from '../../core/base/metrics/index.ts';
import type { AnswerDeferred, DeferredRequest } from '../../core/nameserver/deferred.ts';
import { type HeldKey, openKeyring } from '../../core/tsig/keyring.ts';
import { bareResponse } from '../../core/wire/bare-response.ts';
import { HEADER_LENGTH, QR } from '../../core/wire/header.ts';
import { verifyTsig } from '../../core/wire/tsig.ts';
import { RCODE } from '../../core/wire/types.ts';
import { parseUpdate, parseUpdateZone } from '../../core/wire/update.ts';
import type { Services } from '../change/services.ts';
import { HttpError, statusOf } from '../http/errors.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { nowSeconds } from '../http/time.ts';
import { updatedDomain } from './authorize.ts';
import { UpdateError } from './fault.ts';
import { performUpdate } from './perform.ts';
import { Repeats } from './repeats.ts';

/** Updates under way at a time, and those of one account, whatever number of keys it has: what comes beyond is to be sent again (SERVFAIL). */
const MOST_UPDATES = 256;
const MOST_PER_ACCOUNT = 64;
/** Bytes of a signature that tell it from others. */
const ENOUGH = 16;

const FIVE_MINUTES = 300;

/** Answers messages of opcode UPDATE, each with one message. The rate of a key is that of a token (`rate_limit`). */
export function createUpdateHandler(services: Services, metrics: Registry): AnswerDeferred {
  const handler = new UpdateHandler(services, metrics);
  return (request) => handler.answer(request);
}

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([name, rcode]) => [rcode, name]));

class UpdateHandler {
  readonly #services: Services;
  readonly #findKey;
  readonly #rate: RateLimit;
  readonly #answered: Counter;
  readonly #repeats = new Repeats(nowSeconds);
  /** Updates under way by account. */
  readonly #underWay = new Map<string, number>();
  #total = 0;

  constructor(services: Services, metrics: Registry) {
    this.#services = services;
    this.#findKey = openKeyring(services.reader, services.secrets);
    this.#answered = metrics.counter('waypost_dns_updates_total', 'Responses to dynamic updates, by response code.', [
      'rcode',
    ]);
    this.#rate = new RateLimit('update', services.config.rateLimit, FIVE_MINUTES);
  }

  async *answer({ message, address, cancelled, verified }: DeferredRequest): AsyncGenerator<Uint8Array> {
    // A response is never answered.
    if (message.length < HEADER_LENGTH || (message[2] & QR) !== 0) return;
    const verdict = verifyTsig(message, this.#findKey, nowSeconds());
    if (verdict.kind === 'none') {
      this.#count(RCODE.REFUSED);
      yield bareResponse(message, RCODE.REFUSED, verdict.opt);
    } else if (verdict.kind === 'error') {
      this.#services.log.debug('dynamic update not verified', { rcode: verdict.rcode, tsig: verdict.error, address });
      this.#count(verdict.rcode);
      yield verdict.response();
    } else if (!cancelled.aborted) {
      const { key, message: unsigned, mac, opt, goodUntil, signer } = verdict;
      const signature = `${key.row.id} ${Buffer.from(mac).toString('latin1', 0, ENOUGH)}`;
      // What comes again takes nothing of what the key may send: anybody who has seen a message can send it.
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
    const own = this.#underWay.get(id) ?? 0;
    if (this.#total >= MOST_UPDATES || own >= MOST_PER_ACCOUNT) return RCODE.SERVFAIL;
    this.#total++;
    this.#underWay.set(id, own + 1);
    try {
      this.#rate.take(key.row.id, {});
      // In the order of RFC 2136 section 3: the zone, who may change it, and only then the form of the records.
      updatedDomain(this.#services.reader, key, parseUpdateZone(message));
      const update = parseUpdate(message);
      if (update.version !== null && update.version > 0) return RCODE.BADVERS;
      await performUpdate(this.#services, key, address, mac, update);
      return RCODE.NOERROR;
    } catch (error) {
      return this.#codeOf(error, key);
    } finally {
      this.#total--;
      const left = (this.#underWay.get(id) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(id);
      else this.#underWay.set(id, left);
    }
  }

  /** The response code of what ended an update. */
  #codeOf(error: unknown, { row }: HeldKey): number {
    const { log } = this.#services;
    const told = (rcode: number, why: string): number => {
      const fields = { key: row.name, rcode, why };
      if (OFTEN.has(rcode)) log.debug('dynamic update rejected', fields);
      else log.info('dynamic update rejected', fields);
      return rcode;
    };
    if (error instanceof UpdateError) return told(error.rcode, error.message);
    if (error instanceof InvalidError) return told(RCODE.FORMERR, error.message);
    const status = statusOf(error);
    // Too many, too many at once for this change, or the service is stopping: later it may be made.
    if (status === 429 || status === 503) return told(RCODE.SERVFAIL, (error as Error).message);
    // An account that is gone has no zones any more.
    if (error instanceof HttpError) return told(RCODE.REFUSED, error.code);
    log.error('dynamic update failed unexpectedly', { key: row.name, error: error as Error });
    return RCODE.SERVFAIL;
  }
}

/** What does not hold is an answer, as clients ask for it; and a key that sends too much is not to fill the log with that. */
const OFTEN: ReadonlySet<number> = new Set([
  RCODE.NXDOMAIN,
  RCODE.YXDOMAIN,
  RCODE.NXRRSET,
  RCODE.YXRRSET,
  RCODE.SERVFAIL,
]);
