/** Requests of clients, and their outcomes. */

export interface RecordBody {
  readonly name: string;
  readonly type: 'A' | 'CNAME' | 'TXT';
  readonly content: string;
  readonly ttl: number;
}

export type Operation =
  | { readonly kind: 'create domain'; readonly domain: string }
  | { readonly kind: 'delete domain'; readonly domainId: string }
  | { readonly kind: 'create record'; readonly domainId: string; readonly body: RecordBody }
  | { readonly kind: 'update record'; readonly domainId: string; readonly recordId: string; readonly body: RecordBody }
  | { readonly kind: 'delete record'; readonly domainId: string; readonly recordId: string }
  | {
      readonly kind: 'batch';
      readonly domainId: string;
      readonly delete: readonly string[];
      readonly post: readonly RecordBody[];
    }
  | { readonly kind: 'list records'; readonly domainId: string };

export interface ListedRecord extends RecordBody {
  readonly id: string;
}

export type Outcome =
  /**
   * `ids` of what is new, in order. `isReplayed`: the answer to an earlier request under the same
   * key.
   */
  | {
      readonly kind: 'done';
      readonly sequence: number;
      readonly ids: readonly string[];
      readonly applied: readonly string[];
      readonly isReplayed: boolean;
    }
  | { readonly kind: 'listed'; readonly revision: number; readonly records: readonly ListedRecord[] }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** 503, and it says that it may have been written. */
  | { readonly kind: 'doubtful' }
  /** 503, and it says that nothing was written. */
  | { readonly kind: 'unavailable' };

export interface Event {
  readonly node: string;
  /** Username. */
  readonly account: string;
  readonly operation: Operation;
  /** If-Match: a revision. */
  readonly match?: number;
  /** Idempotency-Key. */
  readonly key?: string;
  /** Of X-Request-Id. */
  readonly requestId: string;
  readonly outcome: Outcome;
  /** In the one order of all that clients saw. */
  readonly began: number;
  readonly ended: number;
}

/** As one may compare two requests under one key. */
export const textOf = (operation: Operation): string => JSON.stringify(operation);
