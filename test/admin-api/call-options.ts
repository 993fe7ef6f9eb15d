export interface CallOptions {
  readonly token?: string | null;
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  /** In place of the address, for example `localhost`. */
  readonly host?: string;
}
