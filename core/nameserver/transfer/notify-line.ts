/**
 * The NOTIFY queue of one secondary: one message per zone, with a few retries. A secondary that
 * answers none is asked about one zone from time to time; when it answers, it gets the messages of
 * all others. The number of messages in flight is limited.
 */

import { randomInt } from 'node:crypto';
import { AA, HEADER_LENGTH, opcodeOf, QR } from '../../dns/wire/header.ts';
import type { Name } from '../../dns/wire/name.ts';
import { isSignedResponse, signRequest, type TsigKey } from '../../dns/wire/tsig.ts';
import { CLASS_IN, OPCODE, TYPE } from '../../dns/wire/types.ts';
import type { Id } from '../../store/keys.ts';

/** Milliseconds. */
export interface NotifyTimes {
  /** Timeout of a response. */
  readonly answer: number;
  /** Delay of the first retry. Each further delay is twice the previous one. */
  readonly retry: number;
  /** Maximum attempts. After the last one, only probes follow. */
  readonly tries: number;
  /** Delay between two probes. */
  readonly probe: number;
}

export interface NotifyLineOptions {
  readonly times: NotifyTimes;
  /** Sends a datagram to the secondary. */
  readonly send: (message: Uint8Array) => void;
  /**
   * The key that signs the message; null: unsigned. Undefined: the key is unavailable, so nothing
   * is sent.
   */
  readonly key: () => TsigKey | null | undefined;
  /** `rcode`: of the response; null: no response after the last attempt. */
  readonly settled: (apex: Name, rcode: number | null) => void;
  /**
   * Returns the 16-bit id of the next message. Omitted: random, so that attackers cannot guess it.
   */
  readonly newId?: () => number;
}

const randomId = (): number => randomInt(0x10000);

/** Maximum messages in flight. */
const MAX_IN_FLIGHT = 64;

interface Notice {
  readonly apex: Name;
  /** Attempts since the last change. */
  tries: number;
  /** Attempts without a response, whatever changed meanwhile. */
  failures: number;
  id: number;
  key: TsigKey | null;
  mac: Uint8Array;
  timer: NodeJS.Timeout | null;
  /** The message is in flight. */
  isInFlight: boolean;
  /** The zone has changed since the message was sent. */
  hasChanged: boolean;
  /** One more attempt for a zone of `#unanswered`. */
  isProbe: boolean;
}

export class NotifyLine {
  /** By domain id. */
  readonly #notices = new Map<Id, Notice>();
  /** Zones whose message is ready to be sent, in order. */
  readonly #ready = new Set<Id>();
  readonly #byId = new Map<number, Id>();
  /** Zones whose last messages had no response. */
  readonly #unanswered = new Map<Id, Name>();
  #probing: NodeJS.Timeout | null = null;
  #inFlight = 0;
  #closed = false;

  constructor(private readonly options: NotifyLineOptions) {}

  /** The number of zones that the secondary has not confirmed. */
  get waiting(): number {
    return this.#notices.size;
  }

  /** The number of zones about which it has left as many messages unanswered as are tried. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** Queues a message about a changed zone, and sends what the limit allows. */
  add(domainId: Id, apex: Name): void {
    if (this.#closed) return;
    const notice = this.#notices.get(domainId);
    if (notice !== undefined) notice.isProbe = false;
    if (notice === undefined) this.#enqueue(domainId, apex, false);
    else if (notice.isInFlight) notice.hasChanged = true;
    else if (notice.timer !== null) {
      // A new change does not wait for the retry of the previous one.
      clearTimeout(notice.timer);
      notice.timer = null;
      notice.tries = 0;
      this.#ready.add(domainId);
    }
    this.#pump();
  }

  #enqueue(domainId: Id, apex: Name, isProbe: boolean): void {
    this.#notices.set(domainId, {
      apex,
      tries: isProbe ? this.options.times.tries - 1 : 0,
      failures: 0,
      id: -1,
      key: null,
      mac: EMPTY,
      timer: null,
      isInFlight: false,
      hasChanged: false,
      isProbe,
    });
    this.#ready.add(domainId);
  }

  /** Removes a deleted zone from the queue. */
  remove(domainId: Id): void {
    this.#unanswered.delete(domainId);
    const notice = this.#notices.get(domainId);
    if (notice !== undefined) this.#forget(domainId, notice);
    this.#probeLater();
    this.#pump();
  }

  /** Processes a datagram from the address of the secondary. */
  receive(message: Uint8Array): void {
    const response = readNotifyResponse(message);
    const domainId = response === null ? undefined : this.#byId.get(response.id);
    const notice = domainId === undefined ? undefined : this.#notices.get(domainId);
    if (response === null || domainId === undefined || notice === undefined) return;
    const { key, mac, apex, hasChanged } = notice;
    if (!isAbout(message, apex)) return;
    // The sender does not have the key, so the response is ignored.
    if (key !== null && !isSignedResponse(message, key, mac, Math.floor(Date.now() / 1000))) return;
    this.#forget(domainId, notice);
    this.options.settled(apex, response.rcode);
    this.#unanswered.delete(domainId);
    if (hasChanged) this.add(domainId, apex);
    // The secondary responds again, and may lack all of these changes.
    const missed = [...this.#unanswered];
    this.#unanswered.clear();
    for (const [id, name] of missed) this.add(id, name);
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#notices.values()) if (timer !== null) clearTimeout(timer);
    if (this.#probing !== null) clearTimeout(this.#probing);
    this.#notices.clear();
    this.#unanswered.clear();
    this.#ready.clear();
    this.#byId.clear();
  }

  #pump(): void {
    for (const domainId of this.#ready) {
      if (this.#inFlight >= MAX_IN_FLIGHT) return;
      this.#ready.delete(domainId);
      this.#send(domainId, this.#notices.get(domainId)!);
    }
  }

  #send(domainId: Id, notice: Notice): void {
    const options = this.options;
    const byId = this.#byId;
    this.#freeId(domainId, notice);
    do notice.id = (options.newId ?? randomId)();
    while (this.#isInFlight(notice.id));
    // A message that waits for its retry loses its id to the new one. Otherwise a secondary that is
    // down could use up all ids.
    byId.set(notice.id, domainId);
    notice.tries++;
    notice.hasChanged = false;
    notice.isInFlight = true;
    this.#inFlight++;
    notice.timer = setTimeout(() => this.#onTimeout(domainId, notice), options.times.answer);
    notice.timer.unref();
    const key = options.key();
    if (key === undefined) return;
    const request = notifyRequest(notice.apex, notice.id);
    notice.key = key;
    if (key === null) options.send(request);
    else {
      const signed = signRequest(request, key, Math.floor(Date.now() / 1000));
      notice.mac = signed.mac;
      options.send(signed.message);
    }
  }

  #onTimeout(domainId: Id, notice: Notice): void {
    const { times, settled } = this.options;
    this.#inFlight--;
    notice.isInFlight = false;
    notice.failures++;
    if (notice.failures >= times.tries) this.#unanswered.set(domainId, notice.apex);
    if (notice.hasChanged) notice.tries = 0;
    if (notice.tries >= times.tries) {
      this.#forget(domainId, notice);
      this.#unanswered.set(domainId, notice.apex);
      if (!notice.isProbe) settled(notice.apex, null);
      this.#probeLater();
    } else {
      // A late response is accepted until the retry is sent.
      const delay = notice.hasChanged ? 0 : times.retry * 2 ** (notice.tries - 1);
      notice.timer = setTimeout(() => {
        notice.timer = null;
        this.#ready.add(domainId);
        this.#pump();
      }, delay);
      notice.timer.unref();
    }
    this.#pump();
  }

  #probeLater(): void {
    if (this.#unanswered.size > 0) this.#probing ??= setTimeout(() => this.#probe(), this.options.times.probe).unref();
  }

  #probe(): void {
    this.#probing = null;
    const [first] = this.#unanswered;
    if (first === undefined) return;
    // A zone with a message under way probes by itself.
    if (!this.#notices.has(first[0])) this.#enqueue(...first, true);
    else this.#probeLater();
    this.#pump();
  }

  #forget(domainId: Id, notice: Notice): void {
    if (notice.timer !== null) clearTimeout(notice.timer);
    if (notice.isInFlight) this.#inFlight--;
    this.#ready.delete(domainId);
    this.#freeId(domainId, notice);
    this.#notices.delete(domainId);
  }

  /** Whether a message in flight has the id. */
  #isInFlight(id: number): boolean {
    const domainId = this.#byId.get(id);
    return domainId !== undefined && this.#notices.get(domainId)?.isInFlight === true;
  }

  /** Releases the id, unless another zone has it now. */
  #freeId(domainId: Id, { id }: Notice): void {
    if (this.#byId.get(id) === domainId) this.#byId.delete(id);
  }
}

const EMPTY = new Uint8Array(0);

/**
 * Encodes a NOTIFY request (RFC 1996), which announces a change of a zone. The question is the SOA
 * of the zone; AA is set (section 4.7).
 */
export function notifyRequest(apex: Name, id: number): Buffer {
  const bytes = Buffer.alloc(HEADER_LENGTH + apex.length + 4);
  bytes.writeUInt16BE(id, 0);
  bytes[2] = (OPCODE.NOTIFY << 3) | AA;
  bytes[5] = 1;
  bytes.set(apex, HEADER_LENGTH);
  bytes.writeUInt16BE(TYPE.SOA, HEADER_LENGTH + apex.length);
  bytes.writeUInt16BE(CLASS_IN, HEADER_LENGTH + apex.length + 2);
  return bytes;
}

/** Reads the id and rcode of a NOTIFY response. Null: the message is not a NOTIFY response. */
function readNotifyResponse(message: Uint8Array): { readonly id: number; readonly rcode: number } | null {
  if (message.length < HEADER_LENGTH || (message[2] & QR) === 0 || opcodeOf(message) !== OPCODE.NOTIFY) return null;
  return { id: (message[0] << 8) | message[1], rcode: message[3] & 15 };
}

/**
 * Whether the question of a response is the zone, in any case, or is missing. Some servers repeat
 * only the header when they refuse.
 */
function isAbout(message: Uint8Array, apex: Name): boolean {
  if (message[4] === 0 && message[5] === 0) return true;
  if (message.length < HEADER_LENGTH + apex.length) return false;
  return apex.every((byte, i) => {
    const other = message[HEADER_LENGTH + i];
    return byte === (other >= 0x41 && other <= 0x5a ? other | 0x20 : other);
  });
}
