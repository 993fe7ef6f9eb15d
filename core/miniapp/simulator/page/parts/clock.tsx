/** A time of day, with the date as its tooltip. */

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** `at`: epoch milliseconds. */
export function Clock({ at }: { readonly at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={FULL.format(date)}>
      {CLOCK.format(date)}
    </time>
  );
}
