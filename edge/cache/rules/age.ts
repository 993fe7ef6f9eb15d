/** The age of a response (RFC 9111 section 4.2.3). All times in milliseconds. */
import { deltaSeconds } from './delta-seconds.ts';
import { trimmed } from './fields.ts';

/**
 * When the response was generated or last validated: `now - bornAt` is current_age. `date`: of the
 * Date field, else the time of the response. `age`: the Age field.
 *
 * Date has no fractions of a second, so the apparent age is counted in whole seconds. Otherwise
 * every response would be about half a second old at once.
 */
export function bornAt(age: string | undefined, date: number, requestTime: number, responseTime: number): number {
  const apparentAge = Math.max(0, Math.floor(responseTime / 1000) * 1000 - date);
  const responseDelay = Math.max(0, responseTime - requestTime);
  const correctedAge = ageValue(age) * 1000 + responseDelay;
  return responseTime - Math.max(apparentAge, correctedAge);
}

/** Seconds. A list counts by its first member; an invalid value is ignored (section 5.1). */
function ageValue(age: string | undefined): number {
  if (age === undefined) return 0;
  const comma = age.indexOf(',');
  return Math.max(0, deltaSeconds(comma < 0 ? age : trimmed(age.slice(0, comma))));
}
