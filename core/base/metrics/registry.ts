/**
 * The registry of metrics by name. A metric stores its values itself (Counter, Histogram), or reads
 * them on demand (`read`). For example, the DNS threads count in shared memory.
 */
import { type Exemplar, type Family, type Format, formatNumber, type Kind, labelText, type Sample } from './text.ts';

/** Emits a value of a metric that is read; `labels` in the order of the metric's names. */
export type Emit = (value: number, ...labels: string[]) => void;

interface Metric {
  readonly name: string;
  readonly kind: Kind;
  readonly help: string;
  samples(): Sample[];
}

/**
 * The naming rules of Prometheus. Colons are reserved for recording rules, and `le` for histograms.
 */
const METRIC_NAME = /^[a-z_][a-z0-9_]*$/;
const LABEL_NAME = /^(?!le$|quantile$|__)[a-z_][a-z0-9_]*$/;

export class Registry {
  readonly #metrics = new Map<string, Metric>();

  /**
   * `name` ends in `_total`. Throws if the name exists or breaks the conventions; so do the other
   * methods that register a metric.
   */
  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return this.#add(new Counter(name, help, labelNames), labelNames);
  }

  /**
   * `bounds`: the upper bounds of the buckets in ascending order, in the unit of the name. The last
   * bucket, +Inf, is implicit.
   */
  histogram(name: string, help: string, labelNames: readonly string[], bounds: readonly number[]): Histogram {
    return this.#add(new Histogram(name, help, labelNames, bounds), labelNames);
  }

  /**
   * A counter or gauge whose values are stored elsewhere. `read` emits each value, with different
   * labels each time.
   */
  read(
    kind: 'counter' | 'gauge',
    name: string,
    help: string,
    labelNames: readonly string[],
    read: (emit: Emit) => void,
  ): void {
    this.#add(
      {
        name,
        kind,
        help,
        samples() {
          const samples: Sample[] = [];
          read((value, ...labels) => samples.push({ suffix: '', labels: labelText(labelNames, labels), value }));
          return samples;
        },
      },
      labelNames,
    );
  }

  /** A histogram whose values are stored elsewhere. `bounds` as for `histogram`. */
  readHistogram(name: string, help: string, bounds: readonly number[], read: () => Distribution): void {
    this.#add({ name, kind: 'histogram', help, samples: () => distributionSamples('', bounds, read()) }, []);
  }

  expose(format: Format): string {
    return format.write(this.families());
  }

  /** All metrics with their current values. */
  families(): Family[] {
    return [...this.#metrics.values()].map(familyOf);
  }

  #add<M extends Metric>(metric: M, labelNames: readonly string[]): M {
    const { name, kind } = metric;
    if (!METRIC_NAME.test(name) || name.endsWith('_total') !== (kind === 'counter'))
      throw new Error(`${name} is not a valid name for a ${kind}`);
    for (const label of labelNames) if (!LABEL_NAME.test(label)) throw new Error(`${label} is not a valid label name`);
    if (this.#metrics.has(name)) throw new Error(`the metric ${name} already exists`);
    this.#metrics.set(name, metric);
    return metric;
  }
}

function familyOf(metric: Metric): Family {
  return { name: metric.name, kind: metric.kind, help: metric.help, samples: metric.samples() };
}

export class Counter implements Metric {
  readonly kind = 'counter';
  readonly #cells = new Map<string, Cell>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly labelNames: readonly string[],
  ) {
    // A counter without labels exists from the start.
    if (labelNames.length === 0) this.cell();
  }

  /** `by` is not negative. */
  add(by: number, ...labels: string[]): void {
    this.cell(...labels).value += by;
  }

  /** Returns the cell of these labels, for callers that count often. */
  cell(...labels: string[]): Cell {
    const text = labelText(this.labelNames, labels);
    let cell = this.#cells.get(text);
    if (cell === undefined) {
      cell = { value: 0 };
      this.#cells.set(text, cell);
    }
    return cell;
  }

  samples(): Sample[] {
    return [...this.#cells].map(([labels, { value }]) => ({ suffix: '', labels, value }));
  }
}

export interface Cell {
  value: number;
}

export interface Distribution {
  /** The number of values in each bucket, not cumulative; the last bucket is +Inf. */
  readonly counts: Float64Array;
  sum: number;
  /** The last observation of each bucket that has a request id. */
  readonly exemplars?: (Exemplar | undefined)[];
}

/** The cumulative buckets, the sum and the count (the Prometheus exposition of a histogram). */
function distributionSamples(
  labels: string,
  bounds: readonly number[],
  { counts, sum, exemplars }: Distribution,
): Sample[] {
  const samples: Sample[] = [];
  let count = 0;
  counts.forEach((added, bucket) => {
    count += added;
    const le = `le="${formatNumber(bounds[bucket] ?? Number.POSITIVE_INFINITY)}"`;
    samples.push({
      suffix: '_bucket',
      labels: labels === '' ? le : `${labels},${le}`,
      value: count,
      exemplar: exemplars?.[bucket],
    });
  });
  samples.push({ suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count });
  return samples;
}

export class Histogram implements Metric {
  readonly kind = 'histogram';
  readonly #distributions = new Map<string, Distribution>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly labelNames: readonly string[],
    private readonly bounds: readonly number[],
  ) {
    if (labelNames.length === 0) this.#distribution('');
  }

  observe(value: number, ...labels: string[]): void {
    this.note(this.#distribution(labelText(this.labelNames, labels)), value);
  }

  /**
   * Returns the distribution of these labels, for callers that observe often: pass it to `note`.
   */
  distributionOf(...labels: string[]): Distribution {
    return this.#distribution(labelText(this.labelNames, labels));
  }

  /** `requestId`: becomes the exemplar of its bucket. */
  note(distribution: Distribution, value: number, requestId?: string): void {
    let bucket = 0;
    while (bucket < this.bounds.length && value > this.bounds[bucket]) bucket++;
    distribution.counts[bucket]++;
    distribution.sum += value;
    if (requestId !== undefined && distribution.exemplars !== undefined)
      distribution.exemplars[bucket] = { requestId, value, time: Date.now() / 1000 };
  }

  samples(): Sample[] {
    const samples: Sample[] = [];
    for (const [labels, distribution] of this.#distributions)
      samples.push(...distributionSamples(labels, this.bounds, distribution));
    return samples;
  }

  #distribution(labels: string): Distribution {
    let distribution = this.#distributions.get(labels);
    if (distribution === undefined) {
      distribution = { counts: new Float64Array(this.bounds.length + 1), sum: 0, exemplars: [] };
      this.#distributions.set(labels, distribution);
    }
    return distribution;
  }
}
