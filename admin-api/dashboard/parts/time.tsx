/**
 * A time of the API: in the time zone of the browser, with UTC as its tooltip, or as the time since
 * then, with both as its tooltip.
 */
import { signal } from '@preact/signals';
import { relativeTime } from '../relative-time.ts';
import { TEXTS } from '../texts.ts';

const FORMATS = {
  full: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }),
  clock: new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }),
};

/** A time of the API in the time zone of the browser, for sentences. */
export const localTime = (value: string): string => FORMATS.full.format(new Date(`${value.replace(' ', 'T')}Z`));
/** Milliseconds between two updates of relative times. */
const TICK_MS = 20_000;
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, TICK_MS);
/** The day of a time, in the time zone of the browser. */
export const formatDay = (time: Date): string => FORMATS.day.format(time);

interface TimeProps {
  /** In the format of the API: `YYYY-MM-DD HH:MM:SS` in UTC. */
  readonly value: string;
  /**
   * `day`: without the time. `clock`: without the date, and with seconds. `relative`: such as
   * "3 minutes ago".
   */
  readonly format?: keyof typeof FORMATS | 'relative';
}

export function Time({ value, format = 'full' }: TimeProps) {
  const machine = `${value.replace(' ', 'T')}Z`;
  const date = new Date(machine);
  if (format !== 'relative')
    return (
      <time dateTime={machine} title={TEXTS.utc(value)}>
        {FORMATS[format].format(date)}
      </time>
    );
  // The clock of the server may be ahead by a moment.
  const seconds = Math.round((date.getTime() - Math.max(now.value, Date.now())) / 1000);
  return (
    <time dateTime={machine} title={`${FORMATS.full.format(date)} · ${TEXTS.utc(value)}`}>
      {relativeTime(seconds)}
    </time>
  );
}
