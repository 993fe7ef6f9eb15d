/**
 * What a server shows for a name. Its maker gives out the same object as long as it is the
 * same certificate: what is made of it is found by that.
 */
export interface TlsCertificate {
  /** PEM: the certificate, then those between it and its authority. */
  readonly cert: string;
  /** PEM, not encrypted. */
  readonly key: string;
  /** The certificate alone, DER; not there or empty: it is to be read from the text. */
  readonly leaf?: Uint8Array;
  /** The text behind it, in one string for all that have the same. There with `leaf`. */
  readonly chain?: string;
  /** The OCSP response to send with it now (RFC 6066 section 8). Undefined: none. */
  readonly staple?: Uint8Array | undefined;
}
