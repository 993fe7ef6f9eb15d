/** How an update ends that changes nothing. */
import { RCODE } from '../../core/wire/types.ts';

export class UpdateError extends Error {
  /** See RFC 2136 2.2. */
  readonly rcode: number;

  /** `message`: why, for the log. */
  constructor(rcode: number, message: string) {
    super(message);
    this.name = 'UpdateError';
    this.rcode = rcode;
  }
}

/** What the sections say contradicts RFC 2136. */
export const formerr = (why: string): UpdateError => new UpdateError(RCODE.FORMERR, why);

/** The update is understood, and not done. */
export const refused = (why: string): UpdateError => new UpdateError(RCODE.REFUSED, why);
