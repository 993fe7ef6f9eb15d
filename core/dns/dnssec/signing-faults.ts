/** Reports wrong keys and signatures that were detected before publication. */
import type { Name } from '../wire/name.ts';

export interface SigningFault {
  /** Of the zone. */
  readonly apex: Name;
  readonly keyTag: number;
  /** A sentence. */
  readonly reason: string;
}

export class SigningFaults {
  /** Number of reports. */
  count = 0;
  /** Called for each. */
  listener: (fault: SigningFault) => void = () => {};

  report(fault: SigningFault): void {
    this.count++;
    this.listener(fault);
  }
}
