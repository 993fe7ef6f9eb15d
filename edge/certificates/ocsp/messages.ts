/** Messages between the threads, which send staples, and the main thread, which fetches them. */

/** From a thread. */
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
