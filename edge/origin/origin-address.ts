export interface Origin {
  /** A host name without the last dot, or an address in its plain form. */
  readonly host: string;
  readonly port: number;
  readonly protocol: 'http' | 'https';
}
