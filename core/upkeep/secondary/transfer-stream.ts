/**
 * Checks the messages of an AXFR or IXFR response against the request, and finds the kind of the
 * transfer and its end (RFC 5936 section 2.2, RFC 1995 section 4). Only SOA records are decoded, so
 * that the main thread can read a large zone.
 */
import { InvalidError } from '../../base/errors.ts';
import { HEADER_LENGTH, QR, skipName, TC } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { equalNames, type Name } from '../../dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../dns/wire/types.ts';
import { isAfter } from '../../zone/compile/serial.ts';

/** `current`: the primary has no newer serial. */
export type TransferKind = 'axfr' | 'ixfr' | 'current';

/** The response code of the primary is an error. */
export class ResponseCodeError extends Error {
  constructor(readonly rcode: number) {
    super(`it answered ${NAMES[rcode] ?? `with code ${rcode}`}`);
  }
}

const NAMES: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  9: 'NOTAUTH',
};

type Section = 'first' | 'second' | 'whole' | 'deletions' | 'additions' | 'end';

interface StreamOptions {
  readonly apex: Name;
  readonly id: number;
  /** AXFR or IXFR. */
  readonly type: number;
  /** The stored serial; null for AXFR. */
  readonly serial: number | null;
}

export class TransferStream {
  kind: TransferKind = 'axfr';
  /** Of the first SOA: the serial after the transfer. */
  serial = 0;
  records = 0;
  #section: Section = 'first';
  /** Of the previous SOA. */
  #previousSerial = 0;

  constructor(private readonly options: StreamOptions) {}

  /**
   * Reads the next message; returns whether it is the last. Throws InvalidError, and
   * ResponseCodeError.
   */
  add(message: Uint8Array): boolean {
    const count = this.#readHeader(message);
    let at = this.#readQuestion(message);
    for (let i = 0; i < count; i++) {
      if (this.#section === 'end') throw malformed('it goes on after its last SOA record');
      at = this.#readRecord(message, at, i === count - 1);
    }
    // A single SOA ends the response only if its serial is not newer than ours.
    if (this.#section === 'second' && this.kind === 'current') this.#section = 'end';
    return this.#section === 'end';
  }

  #readHeader(message: Uint8Array): number {
    const { id } = this.options;
    if (message.length < HEADER_LENGTH) throw malformed('a message is too short');
    if (u16(message, 0) !== id) throw malformed('a message has another id');
    if ((message[2] & QR) === 0 || (message[2] & 0x78) !== 0) throw malformed('a message is not a response');
    const rcode = message[3] & 15;
    if (rcode !== 0) throw new ResponseCodeError(rcode);
    if ((message[2] & TC) !== 0) throw malformed('a message is truncated');
    const count = u16(message, 6);
    if (count === 0) throw malformed('a message has no records');
    return count;
  }

  /** Later messages may omit the question (RFC 5936 section 2.2.1). */
  #readQuestion(message: Uint8Array): number {
    const questions = u16(message, 4);
    if (questions === 0) return HEADER_LENGTH;
    const reader = new MessageReader(message, HEADER_LENGTH);
    const { apex, type } = this.options;
    if (questions !== 1 || !equalNames(reader.name(), apex) || reader.u16() !== type || reader.u16() !== CLASS_IN)
      throw malformed('a message answers another question');
    return reader.offset;
  }

  #readRecord(message: Uint8Array, start: number, endsMessage: boolean): number {
    const at = skipName(message, start, message.length);
    if (at === 0) throw malformed('a name extends beyond the end');
    if (at + 10 > message.length) throw malformed('a message ends inside a record');
    const end = at + 10 + u16(message, at + 8);
    if (end > message.length) throw malformed('a message ends inside a record');
    this.records++;
    if (u16(message, at) === TYPE.SOA && this.#readSoa(message, start, endsMessage)) return end;
    if (this.#section === 'first') throw malformed('it does not begin with an SOA record');
    else if (this.#section === 'second') this.#section = 'whole';
    return end;
  }

  /** False: it is a record of another name, as any other type. */
  #readSoa(message: Uint8Array, start: number, endsMessage: boolean): boolean {
    const { apex, type, serial: ours } = this.options;
    const { name, rdata } = new MessageReader(message, start).record();
    if (!equalNames(name, apex)) return false;
    const serial = serialOf(rdata);
    const isLast = serial === this.serial;
    switch (this.#section) {
      case 'first':
        this.serial = serial;
        this.#section = 'second';
        if (type === TYPE.IXFR && ours !== null && !isAfter(serial, ours)) this.kind = 'current';
        break;
      case 'second':
        if (type === TYPE.IXFR && serial === ours) {
          this.kind = 'ixfr';
          this.#section = 'deletions';
        } else if (isLast) {
          // A zone whose only record is the SOA.
          this.kind = 'axfr';
          this.#section = 'end';
        } else throw malformed('its second SOA record has another serial');
        break;
      case 'whole':
        if (!isLast) {
          if (endsMessage) throw malformed('the zone has changed meanwhile: its last SOA record has another serial');
          // A second SOA, which the zone is loaded without.
          return true;
        }
        this.kind = 'axfr';
        this.#section = 'end';
        break;
      case 'deletions':
        if (!isAfter(serial, this.#previousSerial)) throw malformed('the serials of its differences do not rise');
        this.#section = 'additions';
        break;
      default:
        if (serial !== this.#previousSerial) throw malformed('its differences do not follow one another');
        this.#section = isLast ? 'end' : 'deletions';
    }
    this.#previousSerial = serial;
    return true;
  }
}

const u16 = (bytes: Uint8Array, at: number): number => (bytes[at] << 8) | bytes[at + 1];

/** The serial in the rdata of an SOA (RFC 1035 section 3.3.13). */
export function serialOf(soa: Uint8Array): number {
  return soaNumbers(soa)[0];
}

/** Serial, refresh, retry, expire and minimum: the last 20 bytes of the rdata. */
export function soaNumbers(soa: Uint8Array): number[] {
  const bytes = Buffer.from(soa.buffer, soa.byteOffset, soa.length);
  if (bytes.length < 22) throw malformed('an SOA record is too short');
  return [0, 4, 8, 12, 16].map((at) => bytes.readUInt32BE(bytes.length - 20 + at));
}

export function malformed(why: string): InvalidError {
  return new InvalidError('malformed_transfer', `The transfer is malformed: ${why}.`);
}
