/** A time of the API, in the time zone of the browser, with UTC as its tooltip. */
import { TEXTS } from '../texts.ts';

const FORMATS = {
  full: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  clock: new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }),
};

/** A time of the API in the time zone of the browser, for sentences. */
export const localTime = (value: string): string => FORMATS.full.format(new Date(`${value.replace(' ', 'T')}Z`));

interface TimeProps {
  /** In the format of the API: `YYYY-MM-DD HH:MM:SS` in UTC. */
  readonly value: string;
  /** `clock`: without the date, and with seconds. */
  readonly format?: keyof typeof FORMATS;
}

export function Time({ value, format = 'full' }: TimeProps) {
  const machine = `${value.replace(' ', 'T')}Z`;
  return (
    <time dateTime={machine} title={TEXTS.utc(value)}>
      {FORMATS[format].format(new Date(machine))}
    </time>
  );
}
