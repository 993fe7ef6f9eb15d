/** Times as people say them: "3 minutes ago". Pure, so that tests import it. */

const UNITS = [
  { unit: 'year', seconds: 365 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
] as const;

const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `seconds`: from now to the time, negative in the past. */
export function relativeTime(seconds: number): string {
  const found = UNITS.find((candidate) => Math.abs(seconds) >= candidate.seconds);
  if (found === undefined) return seconds > 0 ? 'in less than a minute' : 'just now';
  return FORMAT.format(Math.trunc(seconds / found.seconds), found.unit);
}
