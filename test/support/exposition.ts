/**
 * A strict parser of the Prometheus text formats. It shares no code with core/metrics, so that a
 * fault there is found. It rejects faults that a lenient server accepts: wrong line order,
 * duplicate families and samples, unconventional names or types, and decreasing buckets.
 */

export interface ReadFamily {
  readonly kind: string;
  readonly help: string;
  /** In text order. */
  readonly samples: readonly ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)|\+Inf|-Inf|NaN)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/**
 * Returns families by name; the name of a counter ends in `_total` in both formats. Throws on any
 * fault, with the line.
 */
export function readExposition(text: string, format: 'prometheus' | 'openmetrics'): Map<string, ReadFamily> {
  const families = new Map<string, { kind: string; help: string; samples: ReadSample[] }>();
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const lines = text.slice(0, -1).split('\n');
  if (format === 'openmetrics' && lines.pop() !== '# EOF') throw new Error('no end mark');
  for (let at = 0; at < lines.length; ) {
    const fail = (why: string): never => {
      throw new Error(`line ${at + 1}: ${why}: ${lines[at]}`);
    };
    const [, family, rawHelp] = /^# HELP (\S+) (.+)$/.exec(lines[at] ?? '') ?? fail('no HELP');
    const quote = format === 'openmetrics' ? '"' : '';
    const help = unescapeText(rawHelp, quote) ?? fail('a bad escape');
    at++;
    const [, typed, kind] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(lines[at] ?? '') ?? fail('no TYPE');
    if (typed !== family || !NAME.test(family)) fail('another name');
    const base = kind === 'counter' && format === 'prometheus' ? family.replace(/_total$/, '') : family;
    if (kind === 'counter' && format === 'prometheus' && base === family) fail('a counter without _total');
    if (kind !== 'counter' && /_(?:total|bucket|sum|count)$/.test(family)) fail('a suffix of another kind');
    const samples: ReadSample[] = [];
    const seen = new Set<string>();
    for (at++; at < lines.length && !lines[at].startsWith('#'); at++) {
      const sample = readSample(withoutExemplar(lines[at], format)) ?? fail('no sample');
      const suffix = SUFFIXES[kind].find((word) => sample.name === base + word);
      if (suffix === undefined) fail('a sample of another family');
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (seen.has(id)) fail('a sample twice');
      seen.add(id);
      if (kind !== 'gauge' && !(sample.value >= 0)) fail('a negative count');
      samples.push(sample);
    }
    const name = kind === 'counter' ? `${base}_total` : family;
    if (families.has(name)) fail(`${name} twice`);
    if (kind === 'histogram') checkBuckets(base, samples);
    families.set(name, { kind, help, samples });
  }
  return families;
}

/** The value of the sample with exactly these labels. Throws if there is none. */
export function sampleOf(
  families: ReadonlyMap<string, ReadFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  const wanted = JSON.stringify(Object.entries(labels).sort());
  const found = family?.samples.find(
    (sample) => sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
  );
  if (found === undefined) throw new Error(`no ${name} with ${wanted}`);
  return found.value;
}

/** Removes the exemplar of a bucket in OpenMetrics: ` # {…} value timestamp`. */
function withoutExemplar(line: string, format: 'prometheus' | 'openmetrics'): string {
  if (format === 'prometheus' || !/^\w+_bucket\{/.test(line)) return line;
  return line.replace(/ # \{request_id="[0-9a-f]{16}"\} \d+(?:\.\d+)?(?:e-\d+)? \d+\.\d{3}$/, '');
}

function readSample(line: string): ReadSample | undefined {
  const name = /^[a-zA-Z_][a-zA-Z0-9_]*/.exec(line)?.[0] ?? '';
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    for (;;) {
      const match = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"([,}])/.exec(rest);
      if (match === null || match[1] in labels || match[1].startsWith('__')) return undefined;
      const value = unescapeText(match[2], '"');
      if (value === undefined) return undefined;
      labels[match[1]] = value;
      rest = rest.slice(match[0].length);
      if (match[3] === '}') break;
    }
  }
  const value = rest.slice(1);
  if (name === '' || !rest.startsWith(' ') || !NUMBER.test(value)) return undefined;
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

/**
 * Undefined: unknown escape, or an unescaped `quote`. `quote`: a character that must be escaped, or
 * empty.
 */
function unescapeText(text: string, quote: string): string | undefined {
  const bare = text.replace(/\\(?:\\|n|")/g, '');
  if (bare.includes('\\') || (quote !== '' && bare.includes(quote))) return undefined;
  if (quote === '' && text.replace(/\\\\/g, '').includes('\\"')) return undefined;
  return text.replace(/\\(\\|n|")/g, (_, c: string) => (c === 'n' ? '\n' : c));
}

/**
 * Checks each histogram: bounds and counts increase, and the last bucket is +Inf and equals the
 * count.
 */
function checkBuckets(base: string, samples: readonly ReadSample[]): void {
  const series = new Map<string, { bounds: number[]; counts: number[]; sum?: number; count?: number }>();
  for (const { name, labels, value } of samples) {
    const { le, ...others } = labels;
    const id = JSON.stringify(Object.entries(others).sort());
    const item = series.get(id) ?? { bounds: [], counts: [] };
    series.set(id, item);
    if (name === `${base}_bucket`) {
      item.bounds.push(Number(le.replace('+Inf', 'Infinity')));
      item.counts.push(value);
    } else if (name === `${base}_sum`) item.sum = value;
    else item.count = value;
  }
  const rises = (numbers: readonly number[], strictly: boolean): boolean =>
    numbers.every((n, i) => i === 0 || (strictly ? n > numbers[i - 1] : n >= numbers[i - 1]));
  for (const [id, { bounds, counts, sum, count }] of series) {
    const isWhole = rises(bounds, true) && rises(counts, false) && bounds.at(-1) === Number.POSITIVE_INFINITY;
    if (!isWhole || sum === undefined || count !== counts.at(-1)) throw new Error(`${base} ${id} is no histogram`);
  }
}
