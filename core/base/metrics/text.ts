/**
 * The two text formats of Prometheus: its own, version 0.0.4, and OpenMetrics 1.0.0. They differ in
 * the family name of a counter, in the escapes in HELP, in exemplars, and in the end mark.
 */

export type Kind = 'counter' | 'gauge' | 'histogram';

export interface Sample {
  /**
   * The suffix after the family's name: `_bucket`, `_sum`, `_count`, or empty. The writer adds a
   * counter's `_total`.
   */
  readonly suffix: string;
  /** In the format of `labelText`. */
  readonly labels: string;
  readonly value: number;
  /** Of a bucket. Only OpenMetrics has exemplars. */
  readonly exemplar?: Exemplar;
}

/** An observation of a bucket, whose request id refers to a log line. */
export interface Exemplar {
  /** At most 128 characters with the name of the label. */
  readonly requestId: string;
  readonly value: number;
  /** Seconds since 1970. */
  readonly time: number;
}

export interface Family {
  /** The name of a counter includes `_total`. */
  readonly name: string;
  readonly kind: Kind;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Format {
  readonly contentType: string;
  write(families: Iterable<Family>): string;
}

/**
 * The media types include the character set, since the default for text is not UTF-8 everywhere.
 */
export const PROMETHEUS: Format = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  write: (families) => writeFamilies(families, false),
};

export const OPENMETRICS: Format = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  write: (families) => `${writeFamilies(families, true)}# EOF\n`,
};

/**
 * Selects the format for an Accept header: OpenMetrics if it is listed without `q=0`, otherwise the
 * format of Prometheus.
 */
export function selectFormat(accept: string | undefined): Format {
  for (const range of accept?.split(',') ?? []) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== 'application/openmetrics-text') continue;
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) return OPENMETRICS;
  }
  return PROMETHEUS;
}

const TOTAL = '_total';

function writeFamilies(families: Iterable<Family>, isOpenMetrics: boolean): string {
  const lines: string[] = [];
  for (const { name, kind, help, samples } of families) {
    const base = kind === 'counter' ? name.slice(0, -TOTAL.length) : name;
    const family = isOpenMetrics ? base : name;
    const text = escapeText(help);
    lines.push(`# HELP ${family} ${isOpenMetrics ? text.replace(/"/g, '\\"') : text}`, `# TYPE ${family} ${kind}`);
    for (const { suffix, labels, value, exemplar } of samples) {
      const line = `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${formatNumber(value)}`;
      lines.push(isOpenMetrics && exemplar !== undefined ? `${line} # ${exemplarText(exemplar)}` : line);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** OpenMetrics 1.0, section 5.3.3 (Exemplars). */
function exemplarText({ requestId, value, time }: Exemplar): string {
  return `{${labelText(['request_id'], [requestId])}} ${formatNumber(value)} ${time.toFixed(3)}`;
}

/** `name="value",…`, without braces. Different values never give the same text. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (let i = 0; i < names.length; i++)
    text += `${i === 0 ? '' : ','}${names[i]}="${escapeText(values[i]).replace(/"/g, '\\"')}"`;
  return text;
}

function escapeText(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

export function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
