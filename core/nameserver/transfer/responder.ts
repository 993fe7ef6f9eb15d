/**
 * Answers messages that the query path defers to the main thread: AXFR (RFC 5936), IXFR (RFC 1995),
 * and signed queries (RFC 8945). The query path answers signed queries after the signature is
 * verified and removed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { FairSlots } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import { bareResponse, questionEnd } from '../../dns/wire/bare-response.ts';
import { EDNS_OPTION, EXTENDED_ERROR, type RequestOpt, withExpire, withoutExpire } from '../../dns/wire/edns.ts';
import { MAX_MESSAGE } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { formatName, type Name } from '../../dns/wire/name.ts';
import { type FindKey, type TsigSigner, type TsigVerdict, verifyTsig } from '../../dns/wire/tsig.ts';
import { RCODE, TYPE } from '../../dns/wire/types.ts';
import { contains, isInNetworks, type Prefix, parseAddress, parsePrefix, unmapped } from '../../net/address/index.ts';
import { clientNetwork } from '../../net/address/ipv6.ts';
import type { Environment } from '../../store/environment.ts';
import { idKey } from '../../store/keys.ts';
import { type Domain, secondaries } from '../../store/rows.ts';
import { SnapshotDeadline } from '../../store/snapshot-deadline.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import { type HeldKey, mayUse } from '../../store/tsig-keys/keyring.ts';
import { isAfter } from '../../zone/compile/serial.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { AnswerDeferred, DeferredRequest } from '../deferred.ts';
import type { ZoneHistories } from './history.ts';
import type { Holds } from './holds.ts';
import type { Envelope } from './message.ts';
import { questionType, readTransferQuestion, type TransferQuestion } from './question.ts';
import { ZoneSnapshot } from './snapshot.ts';
import { differing, messagesOf, oneMessage, wholeZone } from './stream.ts';

export interface TransferOptions {
  readonly environment: Environment;
  readonly reader: StoreReader;
  readonly zoneSettings: ZoneSettings;
  readonly findKey: FindKey<HeldKey>;
  readonly access: TransferAccess;
  readonly histories: ZoneHistories;
  /** Omitted: no zone is held. */
  readonly holds?: Holds;
  readonly slots: FairSlots;
  /** Whether the zone is a secondary that has expired, or was never transferred. */
  readonly isUnavailable?: (apex: Name) => boolean;
  /**
   * The query path's response to a message that is neither a transfer nor signed; null: no
   * response.
   */
  readonly respond: (request: Pick<DeferredRequest, 'message' | 'address' | 'transport'>) => Uint8Array | null;
  /** Largest response over UDP, in bytes. */
  readonly udpPayload: number;
  readonly log: Logger;
  /**
   * The clock that measures the rate of clients, in milliseconds. Omitted: the monotonic clock of
   * the process.
   */
  readonly now?: () => number;
  /** Receives transfers that start and requests that are rejected. */
  readonly observer?: TransferObserver;
}

export interface TransferObserver {
  transferred(kind: 'axfr' | 'ixfr' | 'current'): void;
  refused(why: 'access' | 'signature'): void;
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const PLAIN_UDP = 512;

export function transferResponder(options: TransferOptions): AnswerDeferred {
  const responder = new TransferResponder(options);
  return (request) => responder.answer(request);
}

/** A verified request. `message` has no signature. */
interface Verified {
  readonly request: DeferredRequest;
  readonly message: Uint8Array;
  readonly key: HeldKey | null;
  readonly signer: TsigSigner | null;
  /** OPT of the request; null: none. */
  readonly opt: RequestOpt | null;
}

class TransferResponder {
  constructor(private readonly options: TransferOptions) {}

  async *answer(request: DeferredRequest): AsyncGenerator<Uint8Array> {
    const verdict = verifyTsig(request.message, this.options.findKey, seconds());
    if (verdict.kind === 'error') {
      this.#refusedSignature(request, verdict);
      yield verdict.response();
      return;
    }
    const verified: Verified =
      verdict.kind === 'ok'
        ? { request, message: verdict.message, key: verdict.key, signer: verdict.signer, opt: verdict.opt }
        : { request, message: request.message, key: null, signer: null, opt: verdict.opt };
    const type = questionType(verified.message);
    const isTransfer = type === TYPE.AXFR || type === TYPE.IXFR;
    const withoutOption = isTransfer || type === TYPE.SOA ? withoutExpire(verified.message) : null;
    const asked = withoutOption === null ? verified : { ...verified, message: withoutOption };
    const messages = isTransfer ? this.#transfer(asked) : this.#plain(asked);
    let isFirst = withoutOption !== null;
    for await (const message of messages) {
      yield this.#signed(verified, isFirst ? this.#expiring(verified, message) : message);
      isFirst = false;
    }
  }

  /**
   * Adds EXPIRE to the first message of an answer that begins with the SOA: its timer, or of a
   * secondary zone, the seconds that are left (RFC 7314 section 3).
   */
  #expiring({ request, signer, opt }: Verified, response: Uint8Array): Uint8Array {
    const soa = firstSoa(response);
    const domain = soa === null ? undefined : this.options.reader.domainByApex(soa.name);
    if (soa === null || domain === undefined) return response;
    const { expiresAt } = this.options.reader.row(secondaries, idKey(domain.id)) ?? {};
    const left = typeof expiresAt === 'number' ? Math.max(0, expiresAt - seconds()) : soa.expire;
    return withExpire(response, Math.min(left, soa.expire), this.#room(request, opt) - (signer?.size ?? 0));
  }

  #signed({ signer }: Verified, message: Uint8Array): Uint8Array {
    return signer === null ? message : signer.sign(message, seconds());
  }

  #refusedSignature(
    request: DeferredRequest,
    { rcode, error }: Extract<TsigVerdict<HeldKey>, { kind: 'error' }>,
  ): void {
    this.options.observer?.refused('signature');
    const { address, transport } = request;
    this.options.log.debug('signed DNS message refused', { address, transport, rcode, error });
  }

  /**
   * Answers a query through the query path. The response is truncated if the signature leaves too
   * little room.
   */
  *#plain({ request, message, signer, opt }: Verified): Generator<Uint8Array> {
    const response = this.options.respond({ message, address: request.address, transport: request.transport });
    if (response === null) return;
    const room = this.#room(request, opt) - (signer?.size ?? 0);
    yield response.length <= room ? response : truncated(response, opt, room);
  }

  /** The maximum bytes of a response. */
  #room({ transport }: DeferredRequest, opt: RequestOpt | null): number {
    if (transport !== 'udp') return MAX_MESSAGE;
    return opt === null ? PLAIN_UDP : Math.min(Math.max(opt.udpSize, PLAIN_UDP), this.options.udpPayload);
  }

  async *#transfer(verified: Verified): AsyncGenerator<Uint8Array> {
    const { request, message, key, opt } = verified;
    const { reader, access, observer, log } = this.options;
    const question = readTransferQuestion(message);
    if (typeof question === 'number') {
      yield bareResponse(message, question, opt);
      return;
    }
    const envelope = { request: message, questionEnd: question.end, opt };
    const prohibit = (): Buffer => bareResponse(message, RCODE.REFUSED, opt, PROHIBITED);
    const domain = reader.domainByApex(question.name);
    if (domain !== undefined && !access.allows(domain, request.address, key)) {
      observer?.refused('access');
      log.debug('zone transfer refused', {
        zone: formatName(question.name),
        address: request.address,
        key: key?.row.name,
      });
    }
    // Only clients with a key learn that the zone does not exist (RFC 5936 2.2.1).
    if (domain === undefined) yield key === null ? prohibit() : bareResponse(message, RCODE.NOTAUTH, opt);
    else if (!access.allows(domain, request.address, key) || request.transport === 'https') yield prohibit();
    else if (this.options.isUnavailable?.(question.name)) yield bareResponse(message, RCODE.SERVFAIL, opt);
    else if (await this.#isHeld(domain, request.cancelled)) yield notReady(envelope);
    else if (question.type === TYPE.IXFR) yield* this.#ixfr(verified, question, domain, envelope);
    // RFC 5936 4.2: there is no AXFR over UDP.
    else if (request.transport === 'udp') yield bareResponse(message, RCODE.FORMERR, opt);
    else yield* this.#axfr(verified, domain, envelope);
  }

  /** Whether the zone is still held after some seconds. */
  async #isHeld({ id }: Domain, cancelled: AbortSignal): Promise<boolean> {
    await this.options.holds?.settled(id, cancelled);
    return this.options.holds?.has(id) ?? false;
  }

  async *#axfr({ request, signer }: Verified, domain: Domain, envelope: Envelope): AsyncGenerator<Uint8Array> {
    const { environment, zoneSettings, histories, slots, observer, log } = this.options;
    const { address } = request;
    const owner = { account: `${domain.accountId}`, network: clientNetwork(address) };
    const slot = await slots.acquire(owner, request.cancelled);
    if (slot === 'aborted') return;
    if (slot === 'full') {
      yield bareResponse(envelope.request, RCODE.SERVFAIL, envelope.opt);
      return;
    }
    slot.signal.addEventListener('abort', () => {
      log.debug('zone transfer ended: the client is too slow while others wait', {
        zone: formatName(domain.apex),
        address,
      });
      request.abandon?.();
    });
    try {
      // The history starts before the snapshot, so that it misses no change. At worst it has one
      // difference more than needed.
      histories.follow(domain.id);
      const snapshot = ZoneSnapshot.open(environment, zoneSettings, domain.id);
      if (snapshot === null) {
        yield bareResponse(envelope.request, RCODE.NOTAUTH, envelope.opt);
        return;
      }
      try {
        // The snapshot may have a commit that is published in the next turn.
        await turn();
        if (this.options.holds?.has(domain.id) === true) {
          yield notReady(envelope);
          return;
        }
        observer?.transferred('axfr');
        for (const message of this.#paced(messagesOf(wholeZone(snapshot), envelope, signer?.size ?? 0))) {
          yield message;
          slot.addProgress(message.length);
        }
      } finally {
        snapshot.close();
      }
    } finally {
      slot.release();
    }
  }

  async *#ixfr(
    verified: Verified,
    question: TransferQuestion,
    domain: Domain,
    envelope: Envelope,
  ): AsyncGenerator<Uint8Array> {
    const { environment, zoneSettings, histories, observer } = this.options;
    const { request, signer } = verified;
    const reserve = signer?.size ?? 0;
    histories.follow(domain.id);
    const snapshot = ZoneSnapshot.open(environment, zoneSettings, domain.id);
    if (snapshot === null) {
      yield bareResponse(envelope.request, RCODE.NOTAUTH, envelope.opt);
      return;
    }
    const { soa, serial } = snapshot;
    snapshot.close();
    const isCurrent = serial === question.serial || isAfter(question.serial, serial);
    const difference = isCurrent ? null : histories.between(domain.id, question.serial, serial);
    const overUdp = request.transport === 'udp';
    const most = this.#room(request, verified.opt);
    if (difference !== null && overUdp) {
      const response = oneMessage(differing(soa, difference), envelope, reserve, most);
      if (response !== null) {
        observer?.transferred('ixfr');
        yield response;
        return;
      }
    }
    if (isCurrent || overUdp) {
      // The client is up to date, or the difference does not fit into a datagram, so that the
      // client retries over TCP (RFC 1995 section 2).
      observer?.transferred('current');
      yield oneMessage([soa], envelope, reserve, most) ?? bareResponse(envelope.request, RCODE.SERVFAIL, envelope.opt);
    } else if (difference !== null) {
      observer?.transferred('ixfr');
      // The difference stays in memory for this client even if the history drops it.
      yield* this.#paced(messagesOf(differing(soa, difference), envelope, reserve));
    } else yield* this.#axfr(verified, domain, envelope);
  }

  /** Passes on the messages. Throws if the client receives them too slowly. */
  *#paced(messages: Iterable<Uint8Array>): Generator<Uint8Array> {
    const deadline = new SnapshotDeadline(this.options.now);
    for (const message of messages) {
      yield message;
      if (deadline.isPast(message.length)) throw new Error('the client reads the zone too slowly');
    }
  }
}

/** The owner and the expire timer of the SOA that an answer begins with; null: it does not. */
function firstSoa(response: Uint8Array): { readonly name: Name; readonly expire: number } | null {
  if ((response[6] | response[7]) === 0) return null;
  const { name, type, rdata } = new MessageReader(response, questionEnd(response)).record();
  if (type !== TYPE.SOA) return null;
  // The fourth of the five numbers that the rdata ends in (RFC 1035 section 3.3.13).
  return { name, expire: Buffer.from(rdata).readUInt32BE(rdata.length - 8) };
}

/** The header, question and OPT of a response with TC set, so that the client retries over TCP. */
function truncated(response: Uint8Array, opt: RequestOpt | null, room: number): Uint8Array {
  const rcode = response[3] & 15;
  let bytes = bareResponse(response, rcode, opt, opt === null ? undefined : optionsOf(response));
  if (bytes.length > room) bytes = bareResponse(response, rcode, opt);
  bytes[2] = response[2] | 0x02;
  return bytes;
}

/**
 * The EDNS options of our response: the server cookie, and other options that the client requested.
 */
function optionsOf(response: Uint8Array): Uint8Array | undefined {
  const count = (at: number): number => (response[at] << 8) | response[at + 1];
  const reader = new MessageReader(response, questionEnd(response));
  for (let i = count(6) + count(8) + count(10); i > 0; i--) {
    const { type, rdata } = reader.record();
    if (type === TYPE.OPT) return rdata;
  }
}

function mayTransfer(key: HeldKey, domain: Domain, address: string): boolean {
  const { networks } = key.row;
  return mayUse(key, domain, 'read') && (networks === undefined || isInNetworks(networks, address));
}

/** The client is not allowed to do this. */
const PROHIBITED = Uint8Array.of(0, EDNS_OPTION.EXTENDED_ERROR, 0, 2, 0, EXTENDED_ERROR.PROHIBITED);
const NOT_READY = Uint8Array.of(0, EDNS_OPTION.EXTENDED_ERROR, 0, 2, 0, EXTENDED_ERROR.NOT_READY);

const notReady = ({ request, opt }: Envelope): Buffer => bareResponse(request, RCODE.SERVFAIL, opt, NOT_READY);

/**
 * Decides which clients may transfer a zone: clients at listed addresses, of all zones or of this
 * zone, and clients whose request is signed with a key that may read the zone.
 */
export class TransferAccess {
  #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[] = [];

  /**
   * Prefixes as text. `zonePrefixes`: prefixes of a single zone, already validated when they were
   * stored. Throws InvalidError `invalid_prefix`.
   */
  constructor(
    prefixes: readonly string[],
    private readonly zonePrefixes: (domain: Domain) => readonly string[] = () => [],
  ) {
    this.setPrefixes(prefixes);
  }

  setPrefixes(prefixes: readonly string[]): void {
    this.#prefixes = prefixes.map((text) => unmapped(parsePrefix(text)));
  }

  /**
   * `key`: the key that signed the request. `address`: as text; an IPv4-mapped IPv6 address as
   * IPv4.
   */
  allows(domain: Domain, address: string, key: HeldKey | null): boolean {
    return (key !== null && mayTransfer(key, domain, address)) || this.#lists(domain, address);
  }

  #lists(domain: Domain, address: string): boolean {
    const bytes = parseAddress(address);
    if (bytes === undefined) return false;
    if (this.#prefixes.some((prefix) => contains(prefix, bytes))) return true;
    return this.zonePrefixes(domain).some((text) => contains(unmapped(parsePrefix(text)), bytes));
  }
}
