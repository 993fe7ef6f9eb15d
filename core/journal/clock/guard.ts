/**
 * Judges the clock of this node, by which zones are signed and serials chosen: a write by a clock
 * that is wrong for seconds stays for weeks. The evidence, the strongest first:
 *
 *   references   the clocks of etcd and of the other nodes, as far as they arrive
 *   kernel       a time service keeps the clock in step (adjtimex(2))
 *   line         where the clock was when it was last right, and what has passed since by a steady
 *                clock; after a start of the machine, the last moment that the data folder knows of
 *   persistence  without other evidence, a clock that goes on steadily after it was set is accepted
 *                after a while
 *
 * Differences up to `maxOffset` count as none. Times are milliseconds; those of a clock are since
 * 1970. "Steady" times are those of SteadyClock.
 */
import { UnavailableError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { KernelClock } from '../../os/kernel-clock.ts';
import { formatDifference } from './difference.ts';

interface ClockSources {
  /** The clock of the machine. */
  readonly now: () => number;
  readonly steady: () => number;
  /** Null: the kernel does not say. */
  readonly kernel: () => KernelClock | null;
}

/** A span of time in which the clock is known to have been trusted. */
export interface Witnessed {
  readonly from: number;
  readonly to: number;
  /** What the steady clock showed at `to`; omitted: the machine was started since, or may be. */
  readonly steady?: number;
}

export interface GuardOptions extends ClockSources {
  /** 0: the clock is always trusted. */
  readonly maxOffset: number;
  /** For how long a clock goes on that is accepted without other evidence. */
  readonly settle: number;
  /** Before the start; null: the data folder is new. */
  readonly witnessed: Witnessed | null;
  /** Of this program; null: not known. */
  readonly builtAt: number | null;
  readonly log: Logger;
}

/** How far a clock is ahead of the steady one. */
interface Line {
  readonly offset: number;
}

/** A clock that was found elsewhere than expected. */
interface Doubt extends Line {
  /** Steady. */
  readonly since: number;
  /** It is accepted then, unless evidence comes first; infinity: it is not. */
  readonly until: number;
}

interface Reference extends Line {
  /** Steady. */
  readonly at: number;
}

/** Why the clock is not trusted, and by how much it is ahead; negative: behind. */
interface ClockFault {
  readonly offset: number;
  readonly reason: string;
  /** Milliseconds until it is accepted without other evidence; null: it is not. */
  readonly left: number | null;
}

/** Age above which a reference counts no more. */
const REFERENCE_MS = 60_000;
/** A clock that was set back is accepted after so long, or as long as it had run further. */
const SETTLE_BACK_MS = 30_000;
/** A clock that has run for so long beyond the present one is not overruled by persistence. */
const FIRM_MS = 86_400_000;
const DAY_MS = 86_400_000;

export class ClockGuard {
  /** For threads: one 32-bit word, the seconds by which a clock that is not trusted is ahead. */
  readonly error = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #error = new Int32Array(this.error);
  readonly #options: GuardOptions;
  readonly #references = new Map<string, Reference>();
  /** Null: nothing is known yet, so any clock is accepted. */
  #line: Line | null;
  /** Since when the clock goes on along the line; on the clock. */
  #from: number;
  /** The process has seen the clock on the line; before, it is evidence of the data folder. */
  #wasSeen = false;
  #doubt: Doubt | null = null;
  #fault: ClockFault | null = null;
  /** The log has the fault. */
  #isReported = false;
  readonly #listeners: (() => void)[] = [];

  constructor(options: GuardOptions) {
    const { witnessed, now, steady } = options;
    this.#options = options;
    this.#line = witnessed && { offset: witnessed.to - (witnessed.steady ?? steady()) };
    this.#from = witnessed?.from ?? now();
  }

  /**
   * The time of a write. Throws UnavailableError `clock_off` if the clock is not trusted.
   */
  now(): number {
    const now = this.look();
    if (this.#fault !== null) throw this.#refusal(this.#fault);
    return now;
  }

  /** The error of writes; null: they are accepted. */
  refusal(): UnavailableError | null {
    this.look();
    return this.#fault && this.#refusal(this.#fault);
  }

  get isTrusted(): boolean {
    this.look();
    return this.#fault === null;
  }

  /** As of the last look. */
  get fault(): ClockFault | null {
    return this.#fault;
  }

  /** The clock of the machine, or what it should show as far as that is known. */
  estimate(): number {
    const now = this.look();
    return this.#fault === null ? now : now - this.#fault.offset;
  }

  /** What the data folder is to know for the next start; null: the clock was not judged, or off. */
  get witnessed(): Witnessed | null {
    const to = this.look();
    if (this.#fault !== null || this.#options.maxOffset === 0) return null;
    return { from: this.#from, to, steady: this.#options.steady() };
  }

  /** For `/readyz`. */
  warnings(): string[] {
    const now = this.look();
    const warnings: string[] = [];
    if (this.#fault !== null) warnings.push(`the clock is not trusted, so writes are refused: ${this.#fault.reason}`);
    if (this.#isBeforeBuild(now))
      warnings.push(`the clock shows ${date(now)}, before this version was built (${date(this.#options.builtAt!)})`);
    return warnings;
  }

  /** Calls `listener` when a report finds the clock trusted again. */
  onTrusted(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** `time`: what the clock of `name` shows now. */
  noteReference(name: string, time: number): void {
    const at = this.#options.steady();
    this.#references.set(name, { offset: time - at, at });
  }

  /** Its clock is no evidence any more. */
  forgetReference(name: string): void {
    this.#references.delete(name);
  }

  /**
   * Judges the clock, and logs a change. Called from time to time, so that references arrive before
   * the first report.
   */
  report(): void {
    const clock = new Date(this.look()).toISOString();
    const { log } = this.#options;
    const fault = this.#fault;
    if ((fault !== null) === this.#isReported) return;
    this.#isReported = fault !== null;
    if (fault !== null) {
      log.error('the clock is not trusted; this node accepts no writes', {
        reason: fault.reason,
        clock,
        offset_seconds: Math.round(fault.offset / 1000),
        ...(fault.left === null ? {} : { accepted_in_seconds: Math.ceil(fault.left / 1000) }),
      });
      return;
    }
    log.info('the clock is trusted again; this node accepts writes', { clock });
    for (const listener of this.#listeners) listener();
  }

  /** Judges the clock, and returns what it shows. */
  look(): number {
    const { now, steady, maxOffset } = this.#options;
    const [time, at] = [now(), steady()];
    if (maxOffset > 0) {
      this.#fault = this.#judge(time, at);
      Atomics.store(this.#error, 0, Math.round((this.#fault?.offset ?? 0) / 1000));
    }
    return time;
  }

  #judge(now: number, steady: number): ClockFault | null {
    const { maxOffset } = this.#options;
    const offset = now - steady;
    const { differing, isConfirmed } = this.#compare(offset, now, steady);
    if (differing.length > 0) {
      const ahead = offset - median(differing.map(([, reference]) => reference.offset));
      const names = differing.map(([name]) => name).sort();
      const more = names.length > 3 ? ` and ${names.length - 3} others` : '';
      const reason = `it is ${formatDifference(ahead)} ${names.slice(0, 3).join(', ')}${more}`;
      return { offset: ahead, reason, left: null };
    }
    const ahead = this.#line === null ? 0 : offset - this.#line.offset;
    if (Math.abs(ahead) <= maxOffset) return this.#accept(offset, null);
    const isLineBad = this.#isBeforeBuild(now - ahead) && !this.#isBeforeBuild(now);
    if (isConfirmed || isLineBad || this.#hasSettled(offset, ahead, now, steady)) return this.#accept(offset, now);
    return this.#describe(ahead, steady);
  }

  /** References that differ, unless as many agree; and whether anything but the line agrees. */
  #compare(offset: number, now: number, steady: number) {
    const { maxOffset, kernel } = this.#options;
    const differing: [string, Reference][] = [];
    let agreeing = 0;
    for (const [name, reference] of this.#references)
      if (steady - reference.at > REFERENCE_MS) this.#references.delete(name);
      else if (Math.abs(offset - reference.offset) <= maxOffset) agreeing++;
      else differing.push([name, reference]);
    // The kernel is read only where it matters.
    const isDoubtful = this.#line !== null && Math.abs(offset - this.#line.offset) > maxOffset;
    if (differing.length <= agreeing && !(isDoubtful && agreeing === 0))
      return { differing: [], isConfirmed: agreeing > 0 };
    const clock = kernel();
    const isKept = clock?.isSynchronised === true && Math.abs(clock.time - now) <= maxOffset;
    const isOutvoted = differing.length > agreeing + (isKept ? 1 : 0);
    return { differing: isOutvoted ? differing : [], isConfirmed: !isOutvoted && (isKept || agreeing > 0) };
  }

  /** Whether a clock that was set has gone on for long enough. */
  #hasSettled(offset: number, ahead: number, now: number, steady: number): boolean {
    const { maxOffset, settle } = this.#options;
    if (this.#doubt === null || Math.abs(offset - this.#doubt.offset) > maxOffset) {
      // How long the clock is known to have run beyond what it shows now.
      const beyond = now - ahead - Math.max(this.#from, now);
      const back = beyond > FIRM_MS ? Number.POSITIVE_INFINITY : Math.max(Math.min(SETTLE_BACK_MS, settle), beyond);
      this.#doubt = { offset, since: steady, until: steady + (ahead > 0 ? settle : back) };
    }
    return steady >= this.#doubt.until;
  }

  /** `from`: since when the clock goes on along this line; null: as before. */
  #accept(offset: number, from: number | null): null {
    if (from !== null) this.#from = from;
    this.#line = { offset };
    this.#doubt = null;
    this.#wasSeen = true;
    return null;
  }

  #describe(ahead: number, steady: number): ClockFault {
    const { until } = this.#doubt!;
    const left = Number.isFinite(until) ? Math.max(0, until - steady) : null;
    const where = this.#wasSeen
      ? `it was set ${ahead > 0 ? 'forward' : 'back'} by ${formatDifference(Math.abs(ahead), '')} while the node ran`
      : `it is ${formatDifference(ahead)} the last moment that the data folder knows of`;
    return { offset: ahead, reason: `${where}, and no time service confirms it`, left };
  }

  #isBeforeBuild(now: number): boolean {
    const { builtAt } = this.#options;
    return builtAt !== null && now < builtAt - DAY_MS;
  }

  #refusal({ reason, left }: ClockFault): UnavailableError {
    const next =
      left === null
        ? 'The operator sets the clock and starts a time service'
        : `If it is right, writes are accepted in ${Math.ceil(left / 1000)} seconds, or as soon as a time service runs; otherwise the operator sets it`;
    return new UnavailableError(
      'clock_off',
      `This node accepts no writes, since its clock is not trusted: ${reason}. ${next}. Use another node meanwhile; what is stored is still served.`,
    );
  }
}

const date = (time: number): string => new Date(time).toISOString().slice(0, 10);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
