/** What a server shows for a name. Whoever makes one gives out the same object as long as it is the same certificate: what is made of it is found by that. */
export interface TlsCertificate {
  /** PEM: the certificate, then those between it and its authority. */
  readonly cert: string;
  /** PEM, not encrypted. */
  readonly key: string;
}
