/** What a server shows for a name. */
export interface TlsCertificate {
  /** PEM: the certificate, then those between it and its authority. */
  readonly cert: string;
  /** PEM, not encrypted. */
  readonly key: string;
}
