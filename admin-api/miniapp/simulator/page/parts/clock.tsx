/** A time of day, with the date as its tooltip. */

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

interface ClockProps {
  /** Epoch milliseconds. */
  readonly at: number;
  /** With the date. */
  readonly isFull?: boolean;
}

export function Clock({ at, isFull = false }: ClockProps) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={FULL.format(date)}>
      {(isFull ? DAY : CLOCK).format(date)}
    </time>
  );
}
