/** A client that asks a validating resolver for names of a zone all the time. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { MovedClock } from '../../support/moved-clock.ts';
import type { Validator } from './validator.ts';

/** Seconds for which a resolver may have records that were insecure: the longest TTL. */
const CACHED = 3600;

interface VisitorOptions {
  readonly validator: Validator;
  /** Name of the zone, which has `host0`, `host1` … and a wildcard below `wild`. */
  readonly zone: string;
  /** The number of hosts. */
  readonly names: number;
  /** The clock of the resolver. */
  readonly clock: MovedClock;
  /** Milliseconds between two questions. */
  readonly pauseMs: number;
}

/** Asks until it is stopped. */
export class Visitor {
  readonly faults: string[] = [];
  answers = 0;
  status = '';
  #isStopped = false;
  #turn: Promise<void> = Promise.resolve();
  readonly #running: Promise<void>;
  /** Since when the parent has a DS, seconds since 1970. */
  #since: number | null = null;

  constructor(private readonly options: VisitorOptions) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Throws if an answer was wrong. */
  check(): void {
    assert.equal(this.faults, []);
  }

  /** Changes the world between two questions: a reply of before would be hours late. */
  async between(change: () => void): Promise<void> {
    const before = this.#turn;
    let end = (): void => {};
    this.#turn = new Promise((done) => {
      end = done;
    });
    await before;
    change();
    end();
  }

  noteDs(isThere: boolean): void {
    if (!isThere) this.#since = null;
    else this.#since ??= this.options.clock.now();
  }

  async #run(): Promise<void> {
    for (let i = 0; !this.#isStopped; i++) {
      const before = this.#turn;
      let end = (): void => {};
      this.#turn = new Promise((done) => {
        end = done;
      });
      await before;
      await this.#ask(i);
      end();
      await sleep(this.options.pauseMs);
    }
  }

  async #ask(i: number): Promise<void> {
    const { validator, zone, names, clock } = this.options;
    const questions: readonly (readonly [string, number])[] = [
      ['host7.', TYPE.A],
      [`x${i}.wild.`, TYPE.A],
      [`nothing${i}.`, TYPE.A],
      [`host${i % names}.`, TYPE.MX],
      ['', TYPE.DNSKEY],
      ['', TYPE.SOA],
    ];
    const [label, type] = questions[i % questions.length];
    const start = clock.now();
    const verdict = await validator.ask(parseName(`${label}${zone}`), type);
    this.answers++;
    const mayBeInsecure = this.#since === null || start <= this.#since + CACHED;
    if (verdict === 'secure' || (verdict === 'insecure' && mayBeInsecure)) return;
    this.faults.push(`${verdict} in ${this.status}: ${label}${zone} ${type}`);
  }
}
