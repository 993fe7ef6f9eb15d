/** The expiry of a new key. */
import { TEXTS } from '../texts.ts';

const DAY_MS = 86_400_000;

/** Days as text, `never`, or `date` for a date that the user enters. */
export const EXPIRIES: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'never', label: TEXTS.addKey.expiries.never },
  { value: '30', label: TEXTS.addKey.expiries.days(30) },
  { value: '90', label: TEXTS.addKey.expiries.days(90) },
  { value: '365', label: TEXTS.addKey.expiries.days(365) },
  { value: 'date', label: TEXTS.addKey.expiries.date },
];

/**
 * The time for the API; null: never. `date`: as `YYYY-MM-DD`; the key expires at the end of that
 * day, in the time zone of the browser. `now`: milliseconds since 1970.
 */
export function expiryTime(choice: string, date: string, now: number): string | null {
  if (choice === 'never') return null;
  const end = choice === 'date' ? new Date(`${date}T23:59:59`).getTime() : now + Number(choice) * DAY_MS;
  // An invalid date is sent unchanged, so the API reports it.
  return Number.isNaN(end) ? date : new Date(end).toISOString().slice(0, 19).replace('T', ' ');
}
