export interface Origin {
  /** A host name without the last dot, or an address in its plain form. */
  readonly host: string;
  /** In text, in the order of attempts; empty: none can be used. Omitted: those of the host. */
  readonly addresses?: readonly string[];
  readonly port: number;
  readonly protocol: 'http' | 'https';
}
