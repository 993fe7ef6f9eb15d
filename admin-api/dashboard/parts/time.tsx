/** A time of the API, in the time zone of the browser, with UTC as its tooltip. */
import { TEXTS } from '../texts.ts';

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** `value`: as the API writes it, `YYYY-MM-DD HH:MM:SS` in UTC. */
export function Time({ value }: { readonly value: string }) {
  const machine = `${value.replace(' ', 'T')}Z`;
  return (
    <time dateTime={machine} title={TEXTS.utc(value)}>
      {FORMAT.format(new Date(machine))}
    </time>
  );
}
