/** A secondary in a test. */
import * as assert from 'uvu/assert';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { applyIxfr, serialOf, transferRequest, zoneText } from '../../../support/transfer-client.ts';
import type { Transferred } from './fixture.ts';

/** A copy of the zone that follows by differences. */
export class Secondary {
  #held: string[] = [];
  #serial = 0;
  readonly #rig: Transferred;
  readonly #apex: string;
  differences = 0;

  constructor(rig: Transferred, apex: string) {
    this.#rig = rig;
    this.#apex = apex;
  }

  /** The zone as AXFR sends it, without the SOA; the copy must have come to the same. */
  async look(): Promise<string[]> {
    const whole = await this.#rig.records(transferRequest(this.#apex));
    if (this.#serial === 0) this.#held = zoneText(whole);
    else {
      const answer = await this.#rig.records(transferRequest(this.#apex, this.#serial));
      if (answer.length > 1) this.#held = applyIxfr(this.#held, answer);
      if (answer.length > 1 && answer[1].type === TYPE.SOA) this.differences++;
    }
    this.#serial = serialOf(whole[0]);
    assert.equal(this.#held, zoneText(whole));
    return this.#held.filter((line) => !line.includes(' SOA '));
  }
}
