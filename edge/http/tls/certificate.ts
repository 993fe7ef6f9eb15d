/**
 * A server's certificate. Its source returns the same object for the same certificate, since caches
 * use the object as their key.
 */
export interface TlsCertificate {
  /** PEM: the certificate, then the intermediate certificates. */
  readonly cert: string;
  /** PEM, not encrypted. */
  readonly key: string;
  /** DER of the certificate alone; undefined or empty: it has to be read from `cert`. */
  readonly leaf?: Uint8Array;
  /**
   * PEM of the intermediate certificates, as one string for all certificates with the same chain.
   * Set together with `leaf`.
   */
  readonly chain?: string;
  /** The OCSP response to staple (RFC 6066 section 8). Undefined: none. */
  readonly staple?: Uint8Array | undefined;
}
