/** Errors of updates. An update with an error changes nothing. */
import { RCODE } from '../../../core/dns/wire/types.ts';

export class UpdateError extends Error {
  /** `message`: the reason, for the log. */
  constructor(
    /** RFC 2136 2.2. */
    readonly rcode: number,
    message: string,
  ) {
    super(message);
    this.name = 'UpdateError';
  }
}

/** The message violates RFC 2136. */
export const formerr = (reason: string): UpdateError => new UpdateError(RCODE.FORMERR, reason);

/** The update is valid but not allowed. */
export const refused = (reason: string): UpdateError => new UpdateError(RCODE.REFUSED, reason);
