/** Maximum bytes of a client certificate. Origins do not accept much longer header fields. */
export const MAX_CLIENT_CERTIFICATE = 8192;

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
  /**
   * An RSA certificate for the same names beside an ECDSA one: TLS chooses by the client's
   * signature algorithms. Undefined: none.
   */
  readonly alternative?: TlsCertificate | undefined;
}

/** A site's settings for its TLS connections, apart from the certificate. */
export interface TlsPolicy {
  /**
   * Identifies the content of this policy. Sessions are resumed and connections are reused only
   * under the same fingerprint. Never empty.
   */
  readonly fingerprint: string;
  /** TLS 1.2 is rejected with the alert protocol_version (RFC 8446 section 6.2). */
  readonly requiresTls13: boolean;
  /** Null: no client certificate is requested. */
  readonly clients: ClientAuthentication | null;
}

export interface ClientAuthentication {
  /** Whether a client without a certificate is rejected. An invalid certificate always is. */
  readonly isRequired: boolean;
  /** PEM of the certificates that verify client certificates. Each is a trust anchor. */
  readonly authorities: string;
}

/** The value of the field Client-Cert (RFC 9440 section 2.2): a byte sequence (RFC 9651). */
export const clientCertField = (der: Uint8Array): string =>
  `:${Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('base64')}:`;
