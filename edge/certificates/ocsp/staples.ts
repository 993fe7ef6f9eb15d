/**
 * The staples (RFC 6066 section 8) that a thread sends with certificates. A handshake never waits
 * for a staple: it continues without it, and the main thread fetches the staple for later
 * handshakes.
 */
import { createHash } from 'node:crypto';
import { RecentMap } from '../../../core/base/recent-map.ts';
import { splitChain } from '../../../core/store/sites.ts';
import type { TlsCertificate } from '../../http/tls/certificate.ts';

/** Cached staples: at least this number, at most twice as many. */
const MAX_STAPLES = 2048;
/** Milliseconds until a missing staple is requested again. */
const REQUEST_INTERVAL_MS = 60_000;
/** The element 1.3.6.1.5.5.7.48.1 (id-ad-ocsp), in a certificate that names a responder. */
const OCSP_METHOD = Buffer.from('06082b06010505073001', 'hex');

interface Staple {
  readonly response: Uint8Array;
  readonly expiresAt: number;
  isUsed: boolean;
}

/** State of a certificate in this thread. */
interface Subject {
  /** SHA-256 of the certificate. Null: it names no responder. */
  readonly id: string | null;
  /** Milliseconds since 1970. */
  nextRequestAt: number;
}

export class Staples {
  readonly #subjects = new WeakMap<TlsCertificate, Subject>();
  readonly #staples = new RecentMap<Staple>(MAX_STAPLES);

  constructor(
    private readonly send: (message: FromStaples) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** The current staple of a certificate. Undefined: none, or not fetched yet. */
  of(certificate: TlsCertificate): Uint8Array | undefined {
    const subject = this.#subjectOf(certificate);
    const { id } = subject;
    if (id === null) return undefined;
    const now = this.now();
    const staple = this.#staples.get(id);
    if (staple !== undefined && now < staple.expiresAt) {
      if (!staple.isUsed) this.send({ kind: 'staple-used', id });
      staple.isUsed = true;
      return staple.response;
    }
    if (now >= subject.nextRequestAt) {
      subject.nextRequestAt = now + REQUEST_INTERVAL_MS;
      this.send({ kind: 'staple-wanted', id, chain: certificate.cert });
    }
    return undefined;
  }

  /** From the main thread. */
  store({ id, response, expiresAt }: StapleFetched): void {
    this.#staples.set(id, { response, expiresAt, isUsed: false });
  }

  #subjectOf(certificate: TlsCertificate): Subject {
    let subject = this.#subjects.get(certificate);
    if (subject === undefined) {
      const { leaf = splitChain(certificate.cert).leaf } = certificate;
      const hasResponder = Buffer.from(leaf.buffer, leaf.byteOffset, leaf.length).includes(OCSP_METHOD);
      const id = hasResponder ? createHash('sha256').update(leaf).digest('hex') : null;
      subject = { id, nextRequestAt: 0 };
      this.#subjects.set(certificate, subject);
    }
    return subject;
  }
}

/**
 * Messages between the threads, which send staples, and the main thread, which fetches them. From a
 * thread.
 */
export type FromStaples =
  /** A client has requested the status of a certificate, and the thread has none. */
  | { readonly kind: 'staple-wanted'; readonly id: string; readonly chain: string }
  /** The thread has sent the current staple of a certificate for the first time. */
  | { readonly kind: 'staple-used'; readonly id: string };

/** To all threads. */
export interface StapleFetched {
  readonly kind: 'staple';
  /** SHA-256 of the certificate. */
  readonly id: string;
  /** The OCSP response (RFC 6960), in DER form. */
  readonly response: Uint8Array;
  /** Milliseconds since 1970 until which it may be sent. */
  readonly expiresAt: number;
}
