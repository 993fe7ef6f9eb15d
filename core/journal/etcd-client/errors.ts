/** Errors of the etcd client. */

/** No endpoint sent a usable response. */
export class EtcdUnavailable extends Error {
  constructor(
    message: string,
    /** A write may have been carried out, or may still be. */
    readonly mayHappen: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/**
 * etcd rejected the request and did nothing: the request is invalid, not allowed, or above a limit.
 */
export class EtcdRefused extends Error {
  constructor(
    message: string,
    /** The gRPC status code. */
    readonly code: number,
  ) {
    super(message);
  }
}

/**
 * The database of etcd has reached its quota. The request that reached it is carried out anyway.
 */
export class EtcdFull extends EtcdRefused {}

/** The start revision of a watch is compacted. The missed changes must be read instead. */
export class EtcdCompacted extends Error {}

/**
 * A value in etcd that no node can have written. It is ignored, and read again until it is
 * repaired.
 */
export class EtcdDamaged extends Error {
  constructor(
    /** The key in etcd. */
    readonly key: string,
    readonly reason: string,
  ) {
    super(`the value of ${key} in etcd is damaged: ${reason}`);
  }
}

/**
 * gRPC status codes of requests that were not carried out: INVALID_ARGUMENT, PERMISSION_DENIED,
 * RESOURCE_EXHAUSTED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED.
 */
export const REFUSALS: ReadonlySet<number> = new Set([3, 7, 8, 9, 11, 12, 16]);
