/**
 * Errors, grouped by when they happen. Each has a stable `code` (snake case), which the API returns
 * unchanged, and a message that states the problem and the next step. A JSON pointer or a line
 * locates the problem if it is known.
 */
export class WaypostError extends Error {
  /** JSON pointer to the offending field of a request body, such as `/content`. */
  readonly pointer?: string;
  /** Values of the field that would be accepted, of which the client must choose one. */
  readonly choices?: readonly string[];

  constructor(
    readonly code: string,
    message: string,
    options: { pointer?: string; cause?: unknown; choices?: readonly string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.pointer = options.pointer;
    this.choices = options.choices;
  }
}

/**
 * A name, type, rdata or TTL that no zone can contain: the input itself is invalid. Status 422 in
 * the API.
 */
export class InvalidError extends WaypostError {}

/**
 * The data is well-formed but contradicts the current data of the zone or the account. Status 409
 * in the API.
 */
export class StateError extends WaypostError {}

/** Data that a commit read has changed since. The caller validates again and retries. */
export class ConflictError extends WaypostError {
  constructor(message = 'Another request changed the data at the same time; retry.') {
    super('write_conflict', message);
  }
}

/**
 * A required service is not available at the moment. Status 503 in the API; a retry may succeed.
 */
export class UnavailableError extends WaypostError {}

/** The configuration is unusable. Thrown at start, before any socket listens. */
export class ConfigError extends WaypostError {}
