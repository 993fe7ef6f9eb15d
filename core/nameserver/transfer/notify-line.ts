/**
 * What one secondary has still to receive: one NOTIFY a zone, sent again until it is answered, so
 * many at a time.
 */

import { randomInt } from 'node:crypto';
import { AA, HEADER_LENGTH, QR } from '../../dns/wire/header.ts';
import type { Name } from '../../dns/wire/name.ts';
import { isSignedResponse, signRequest, type TsigKey } from '../../dns/wire/tsig.ts';
import { CLASS_IN, OPCODE, TYPE } from '../../dns/wire/types.ts';
import type { Id } from '../../store/keys.ts';

/** Milliseconds. */
export interface NotifyTimes {
  /** An answer that takes longer counts as none. */
  readonly answer: number;
  /** Until it is sent again, the first time; twice as long each time. */
  readonly retry: number;
  /**
   * How often it is sent in all. What nobody has answered by then, the secondary finds when it
   * looks by itself (SOA refresh).
   */
  readonly tries: number;
}

export interface NotifyLineOptions {
  readonly times: NotifyTimes;
  /** Sends a datagram to the secondary. */
  readonly send: (message: Uint8Array) => void;
  /**
   * What to sign with; null: nothing is signed. Undefined: the key is not there, so that nothing
   * can be sent.
   */
  readonly key: () => TsigKey | null | undefined;
  /** `rcode` null: it was given up. */
  readonly settled: (apex: Name, rcode: number | null) => void;
  /** A 16-bit id for the next message; left out, a random one, so that nobody can guess it. */
  readonly newId?: () => number;
}

const randomId = (): number => randomInt(0x10000);

/** Sent and not answered, at a time. */
const MOST_UNDER_WAY = 64;

interface Notice {
  readonly apex: Name;
  tries: number;
  id: number;
  key: TsigKey | null;
  mac: Uint8Array;
  timer: NodeJS.Timeout | null;
  /** An answer is waited for. */
  awaited: boolean;
  /** The zone has changed since it was sent. */
  again: boolean;
}

export class NotifyLine {
  readonly #options: NotifyLineOptions;
  /** By domain id. */
  readonly #notices = new Map<Id, Notice>();
  /** Those to be sent, in order. */
  readonly #ready = new Set<Id>();
  readonly #byId = new Map<number, Id>();
  #underWay = 0;
  #closed = false;

  constructor(options: NotifyLineOptions) {
    this.#options = options;
  }

  /** How many zones the secondary has not confirmed. */
  get waiting(): number {
    return this.#notices.size;
  }

  /** The zone has changed. Sends what may be sent at once. */
  add(domainId: Id, apex: Name): void {
    if (this.#closed) return;
    const notice = this.#notices.get(domainId);
    if (notice === undefined) {
      const created = { apex, tries: 0, id: -1, key: null, mac: EMPTY, timer: null, awaited: false, again: false };
      this.#notices.set(domainId, created);
      this.#ready.add(domainId);
    } else if (notice.awaited) notice.again = true;
    else if (notice.timer !== null) {
      // It waits for its next try, and what is new deserves one at once.
      clearTimeout(notice.timer);
      notice.timer = null;
      notice.tries = 0;
      this.#ready.add(domainId);
    }
    this.#pump();
  }

  /** The zone is gone. */
  remove(domainId: Id): void {
    const notice = this.#notices.get(domainId);
    if (notice !== undefined) this.#forget(domainId, notice);
    this.#pump();
  }

  /** A datagram from the secondary's address. */
  receive(message: Uint8Array): void {
    const response = readNotifyResponse(message);
    const domainId = response === null ? undefined : this.#byId.get(response.id);
    const notice = domainId === undefined ? undefined : this.#notices.get(domainId);
    if (response === null || domainId === undefined || notice === undefined) return;
    const { key, mac, apex, again } = notice;
    if (!isAbout(message, apex)) return;
    // Not from who holds the key: as if nothing had come.
    if (key !== null && !isSignedResponse(message, key, mac, Math.floor(Date.now() / 1000))) return;
    this.#forget(domainId, notice);
    this.#options.settled(apex, response.rcode);
    if (again) this.add(domainId, apex);
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#notices.values()) if (timer !== null) clearTimeout(timer);
    this.#notices.clear();
    this.#ready.clear();
    this.#byId.clear();
  }

  #pump(): void {
    for (const domainId of this.#ready) {
      if (this.#underWay >= MOST_UNDER_WAY) return;
      this.#ready.delete(domainId);
      this.#send(domainId, this.#notices.get(domainId)!);
    }
  }

  #send(domainId: Id, notice: Notice): void {
    const options = this.#options;
    const byId = this.#byId;
    this.#freeId(domainId, notice);
    do notice.id = (options.newId ?? randomId)();
    while (this.#isAwaited(notice.id));
    // One that is only waiting for its next try gives its id away: a secondary that is down may be
    // owed more answers than there are ids.
    byId.set(notice.id, domainId);
    notice.tries++;
    notice.again = false;
    notice.awaited = true;
    this.#underWay++;
    notice.timer = setTimeout(() => this.#unanswered(domainId, notice), options.times.answer);
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

  #unanswered(domainId: Id, notice: Notice): void {
    const { times, settled } = this.#options;
    this.#underWay--;
    notice.awaited = false;
    if (notice.again) notice.tries = 0;
    if (notice.tries >= times.tries) {
      this.#forget(domainId, notice);
      settled(notice.apex, null);
    } else {
      // Until it is sent again a late answer still counts.
      const delay = notice.again ? 0 : times.retry * 2 ** (notice.tries - 1);
      notice.timer = setTimeout(() => {
        notice.timer = null;
        this.#ready.add(domainId);
        this.#pump();
      }, delay);
      notice.timer.unref();
    }
    this.#pump();
  }

  #forget(domainId: Id, notice: Notice): void {
    if (notice.timer !== null) clearTimeout(notice.timer);
    if (notice.awaited) this.#underWay--;
    this.#ready.delete(domainId);
    this.#freeId(domainId, notice);
    this.#notices.delete(domainId);
  }

  /** Whether the id is that of one of the few that are pending. */
  #isAwaited(id: number): boolean {
    const domainId = this.#byId.get(id);
    return domainId !== undefined && this.#notices.get(domainId)?.awaited === true;
  }

  /** Another may have the id by now. */
  #freeId(domainId: Id, { id }: Notice): void {
    if (this.#byId.get(id) === domainId) this.#byId.delete(id);
  }
}

const EMPTY = new Uint8Array(0);

/**
 * NOTIFY (RFC 1996): a secondary learns that a zone has changed.
 *
 * A request with the zone's SOA in question; AA is set (RFC 1996 4.7 has it so).
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

/** The id of a response to a NOTIFY with its rcode, or null when the message is none. */
function readNotifyResponse(message: Uint8Array): { readonly id: number; readonly rcode: number } | null {
  if (message.length < HEADER_LENGTH || (message[2] & QR) === 0 || ((message[2] >>> 3) & 15) !== OPCODE.NOTIFY)
    return null;
  return { id: (message[0] << 8) | message[1], rcode: message[3] & 15 };
}

/**
 * Whether a response names the zone, in whatever case, or none: some repeat the header alone when
 * they refuse.
 */
function isAbout(message: Uint8Array, apex: Name): boolean {
  if (message[4] === 0 && message[5] === 0) return true;
  if (message.length < HEADER_LENGTH + apex.length) return false;
  return apex.every((byte, i) => {
    const other = message[HEADER_LENGTH + i];
    return byte === (other >= 0x41 && other <= 0x5a ? other | 0x20 : other);
  });
}
