/** Errors of updates. An update with an error changes nothing. */
import { RCODE } from '../../core/wire/types.ts';

export class UpdateError extends Error {
  /** RFC 2136 2.2. */
  readonly rcode: number;

  /** `message`: the reason, for the log. */
  constructor(rcode: number, message: string) {
    super(message);
    this.name = 'UpdateError';
    this.rcode = rcode;
  }
}

/** The message violates RFC 2136. */
export const formerr = (why: string): UpdateError => new UpdateError(RCODE.FORMERR, why);

/** The update is valid but not allowed. */
export const refused = (why: string): UpdateError => new UpdateError(RCODE.REFUSED, why);
