/**
 * Errors, grouped by when they happen. Each has a stable `code` (snake case) that the API hands on unchanged,
 * a message that says what is wrong and what to do, and where it is known a JSON pointer or a line.
 */
export class WaypostError extends Error {
  readonly code: string;
  /** JSON pointer to the offending field of a request body, such as `/content`. */
  readonly pointer?: string;

  constructor(code: string, message: string, options: { pointer?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.pointer = options.pointer;
  }
}

/** A name, type, rdata or TTL that no zone can hold: the text or the bytes are at fault. Status 422 in the API. */
export class InvalidError extends WaypostError {}

/** The data is well-formed but contradicts what the zone or the account holds already. Status 409 in the API. */
export class StateError extends WaypostError {}

/** Something that a commit read has changed since. The caller validates anew and tries again. */
export class ConflictError extends WaypostError {
  constructor(message = 'Another request changed the data at the same time; retry.') {
    super('write_conflict', message);
  }
}

/** What the service stands on cannot be had just now. Status 503 in the API; tried again later, the same may succeed. */
export class UnavailableError extends WaypostError {}

/** The configuration cannot be used. Raised at start, before anything listens. */
export class ConfigError extends WaypostError {}
