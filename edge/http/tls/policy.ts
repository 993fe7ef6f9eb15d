/** What a site asks of the TLS of its connections besides its certificate. */
export interface TlsPolicy {
  /**
   * Names this content: sessions are resumed, and connections reused, under the same one only.
   * Never empty.
   */
  readonly fingerprint: string;
  /** The client gets the alert protocol_version (RFC 8446 section 6.2) for TLS 1.2. */
  readonly requiresTls13: boolean;
  /** Null: no certificate is asked of clients. */
  readonly clients: ClientAuthentication | null;
}

export interface ClientAuthentication {
  /** Whether a client without a certificate is refused. One with a wrong certificate always is. */
  readonly isRequired: boolean;
  /** PEM of the certificates that verify clients' certificates; each is an anchor of trust. */
  readonly authorities: string;
}

/** Bytes of a client's certificate. Origins accept no header field that is much longer. */
export const MAX_CLIENT_CERTIFICATE = 8192;

/** The value of the field Client-Cert (RFC 9440 section 2.2): a byte sequence (RFC 9651). */
export const clientCertField = (der: Uint8Array): string =>
  `:${Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('base64')}:`;
