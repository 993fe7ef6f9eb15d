/** What can go wrong with etcd. */

/** No answer of use has come from any endpoint. */
export class EtcdUnavailable extends Error {
  /** A request that writes may have been carried out all the same, now or in a while. */
  readonly mayHappen: boolean;

  constructor(message: string, mayHappen: boolean, cause?: unknown) {
    super(message, { cause });
    this.mayHappen = mayHappen;
  }
}

/**
 * etcd has said no, and has done nothing: what it is asked for is wrong, not allowed, or more than
 * it can hold.
 */
export class EtcdRefused extends Error {
  /** Of gRPC. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/**
 * The database of etcd has reached its quota. The request is done all the same when it was
 * this that reached it.
 */
export class EtcdFull extends EtcdRefused {}

/**
 * The revision that a watch was to begin at is compacted: later changes are to be read instead.
 */
export class EtcdCompacted extends Error {}

/**
 * A value in etcd that no node can have written. It is read again until it is mended, and nothing
 * is done by it.
 */
export class EtcdDamaged extends Error {
  /** In etcd. */
  readonly key: string;
  readonly reason: string;

  constructor(key: string, reason: string) {
    super(`the value of ${key} in etcd is damaged: ${reason}`);
    this.key = key;
    this.reason = reason;
  }
}

/**
 * Codes of gRPC after which a request was not carried out: INVALID_ARGUMENT, PERMISSION_DENIED,
 * RESOURCE_EXHAUSTED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED.
 */
export const REFUSALS: ReadonlySet<number> = new Set([3, 7, 8, 9, 11, 12, 16]);
