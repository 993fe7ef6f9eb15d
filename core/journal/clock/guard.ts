/**
 * Judges the clock of this node. Serials and signatures are derived from it, so a write with a
 * wrong clock has effects for weeks. The evidence, strongest first:
 *
 *   references   the clocks of etcd and of the other nodes, while they are reported
 *   kernel       a time service synchronises the clock (adjtimex(2))
 *   line         the last trusted time plus the steady time since then; after a reboot, the last
 *                time stored in the data folder
 *   persistence  without other evidence, a clock that was set is accepted after it has run steadily
 *                for a while
 *
 * Differences up to `maxOffset` are ignored. Times are in milliseconds; clock times are since 1970.
 * "Steady" times are those of SteadyClock.
 */
import { UnavailableError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { KernelClock } from '../../os/clocks.ts';

interface ClockSources {
  /** The clock of the machine. */
  readonly now: () => number;
  readonly steady: () => number;
  /** Null: the kernel has no information. */
  readonly kernel: () => KernelClock | null;
}

/** A period in which the clock was trusted. */
export interface Witnessed {
  readonly from: number;
  readonly to: number;
  /** The steady time at `to`; omitted: the machine may have been rebooted since. */
  readonly steady?: number;
}

export interface GuardOptions extends ClockSources {
  /** 0: the clock is always trusted. */
  readonly maxOffset: number;
  /** After this time, a clock that runs steadily is accepted without other evidence. */
  readonly settle: number;
  /** The period before the start; null: the data folder is new. */
  readonly witnessed: Witnessed | null;
  /** The build time of this program; null: unknown. */
  readonly builtAt: number | null;
  readonly log: Logger;
}

/** A clock, described by its offset: clock time minus steady time. */
interface Line {
  readonly offset: number;
}

/** A clock that differs from the expected clock. */
interface Doubt extends Line {
  /** Steady time. */
  readonly since: number;
  /** Steady time at which the clock is accepted without other evidence; infinity: never. */
  readonly until: number;
}

interface Reference extends Line {
  /** Steady time. */
  readonly at: number;
}

/** Why the clock is not trusted. `offset`: how far it is ahead; negative: behind. */
interface ClockFault {
  readonly offset: number;
  readonly reason: string;
  /** Milliseconds until the clock is accepted without other evidence; null: never. */
  readonly left: number | null;
}

/** Age above which a reference is dropped. */
const REFERENCE_MS = 60_000;
/**
 * Minimum wait before a clock that was set back is accepted, or `settle` if that is shorter. The
 * wait is longer if the trusted clock had run further past the new time.
 */
const SETTLE_BACK_MS = 30_000;
/**
 * If the trusted clock had run this far past the new time, the new time is never accepted without
 * other evidence.
 */
const FIRM_MS = 86_400_000;
const DAY_MS = 86_400_000;

export class ClockGuard {
  /** For threads: one 32-bit word, the seconds by which an untrusted clock is ahead. */
  readonly error = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #error = new Int32Array(this.error);
  readonly #references = new Map<string, Reference>();
  /** The expected clock. Null: there is no evidence yet, so any clock is accepted. */
  #line: Line | null;
  /** Since when the clock has followed the line, in clock time. */
  #from: number;
  /** This process has accepted the clock. Until then, the line comes from the data folder. */
  #hasAccepted = false;
  #doubt: Doubt | null = null;
  #fault: ClockFault | null = null;
  /** The fault was logged. */
  #isReported = false;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly options: GuardOptions) {
    const { witnessed, now, steady } = options;
    this.#line = witnessed && { offset: witnessed.to - (witnessed.steady ?? steady()) };
    this.#from = witnessed?.from ?? now();
  }

  /**
   * Returns the time of a write. Throws UnavailableError `clock_off` if the clock is not trusted.
   */
  now(): number {
    const now = this.look();
    if (this.#fault !== null) throw this.#refusal(this.#fault);
    return now;
  }

  /** The error of writes; null: writes are accepted. */
  refusal(): UnavailableError | null {
    this.look();
    return this.#fault && this.#refusal(this.#fault);
  }

  get isTrusted(): boolean {
    this.look();
    return this.#fault === null;
  }

  /** As of the last `look`. */
  get fault(): ClockFault | null {
    return this.#fault;
  }

  /** The clock of the machine, corrected by its known offset while it is not trusted. */
  estimate(): number {
    const now = this.look();
    return this.#fault === null ? now : now - this.#fault.offset;
  }

  /**
   * The period to store in the data folder for the next start; null: the clock was not judged, or
   * is not trusted.
   */
  get witnessed(): Witnessed | null {
    const to = this.look();
    if (this.#fault !== null || this.options.maxOffset === 0) return null;
    return { from: this.#from, to, steady: this.options.steady() };
  }

  /** For `/readyz`. */
  warnings(): string[] {
    const now = this.look();
    const warnings: string[] = [];
    if (this.#fault !== null) warnings.push(`the clock is not trusted, so writes are refused: ${this.#fault.reason}`);
    if (this.#isBeforeBuild(now))
      warnings.push(`the clock shows ${date(now)}, before this version was built (${date(this.options.builtAt!)})`);
    return warnings;
  }

  /** Calls `listener` when a report finds the clock trusted again. */
  onTrusted(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** `time`: the current time of the clock of `name`. */
  noteReference(name: string, time: number): void {
    const at = this.options.steady();
    this.#references.set(name, { offset: time - at, at });
  }

  /** The clock of `name` is no longer evidence. */
  forgetReference(name: string): void {
    this.#references.delete(name);
  }

  /**
   * Judges the clock, and logs a change of the verdict. Called at intervals, so that references
   * arrive before the first report.
   */
  report(): void {
    const clock = new Date(this.look()).toISOString();
    const { log } = this.options;
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

  /** Judges the clock and returns its time. */
  look(): number {
    const { now, steady, maxOffset } = this.options;
    const [time, at] = [now(), steady()];
    if (maxOffset > 0) {
      this.#fault = this.#judge(time, at);
      Atomics.store(this.#error, 0, Math.round((this.#fault?.offset ?? 0) / 1000));
    }
    return time;
  }

  #judge(now: number, steady: number): ClockFault | null {
    const { maxOffset } = this.options;
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

  /**
   * Returns the references that differ, unless at least as many clocks agree. `isConfirmed`: a
   * reference or the kernel agrees.
   */
  #compare(offset: number, now: number, steady: number) {
    const { maxOffset, kernel } = this.options;
    const differing: [string, Reference][] = [];
    let agreeing = 0;
    for (const [name, reference] of this.#references)
      if (steady - reference.at > REFERENCE_MS) this.#references.delete(name);
      else if (Math.abs(offset - reference.offset) <= maxOffset) agreeing++;
      else differing.push([name, reference]);
    // The kernel is read only if it can change the result.
    const isDoubtful = this.#line !== null && Math.abs(offset - this.#line.offset) > maxOffset;
    if (differing.length <= agreeing && !(isDoubtful && agreeing === 0))
      return { differing: [], isConfirmed: agreeing > 0 };
    const clock = kernel();
    const kernelAgrees = clock?.isSynchronised === true && Math.abs(clock.time - now) <= maxOffset;
    const isOutvoted = differing.length > agreeing + (kernelAgrees ? 1 : 0);
    return { differing: isOutvoted ? differing : [], isConfirmed: !isOutvoted && (kernelAgrees || agreeing > 0) };
  }

  /** Whether a clock that was set has run steadily for long enough. */
  #hasSettled(offset: number, ahead: number, now: number, steady: number): boolean {
    const { maxOffset, settle } = this.options;
    if (this.#doubt === null || Math.abs(offset - this.#doubt.offset) > maxOffset) {
      // How far the trusted clock had run past the time that it shows now.
      const beyond = now - ahead - Math.max(this.#from, now);
      const back = beyond > FIRM_MS ? Number.POSITIVE_INFINITY : Math.max(Math.min(SETTLE_BACK_MS, settle), beyond);
      this.#doubt = { offset, since: steady, until: steady + (ahead > 0 ? settle : back) };
    }
    return steady >= this.#doubt.until;
  }

  /** `from`: since when the clock has followed this line; null: unchanged. */
  #accept(offset: number, from: number | null): null {
    if (from !== null) this.#from = from;
    this.#line = { offset };
    this.#doubt = null;
    this.#hasAccepted = true;
    return null;
  }

  #describe(ahead: number, steady: number): ClockFault {
    const { until } = this.#doubt!;
    const left = Number.isFinite(until) ? Math.max(0, until - steady) : null;
    const where = this.#hasAccepted
      ? `it was set ${ahead > 0 ? 'forward' : 'back'} by ${formatDifference(Math.abs(ahead), '')} while the node ran`
      : `it is ${formatDifference(ahead)} the last moment that the data folder knows of`;
    return { offset: ahead, reason: `${where}, and no time service confirms it`, left };
  }

  #isBeforeBuild(now: number): boolean {
    const { builtAt } = this.options;
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

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
] as const;

/**
 * Returns for example "30.0 days ahead of" or "2.5 hours behind". `relation` replaces the words
 * after the unit.
 */
export function formatDifference(milliseconds: number, relation?: string): string {
  const size = Math.abs(milliseconds);
  const [unit, name] = UNITS.find(([least]) => size >= least) ?? UNITS[UNITS.length - 1];
  const text = `${(size / unit).toFixed(1)} ${name}`;
  return relation === '' ? text : `${text} ${relation ?? (milliseconds > 0 ? 'ahead of' : 'behind')}`;
}
