/**
 * HTTP dates (RFC 9110 section 5.6.7). A cache accepts all three forms, in any case (RFC 9111
 * section 4.2), in GMT only.
 */

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const TIME = '(\\d\\d):(\\d\\d):(\\d\\d)';
const IMF_FIXDATE = new RegExp(`^(?:mon|tue|wed|thu|fri|sat|sun), (\\d\\d) ${MONTH} (\\d{4}) ${TIME} gmt$`, 'i');
const RFC_850 = new RegExp(
  `^(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday), (\\d\\d)-${MONTH}-(\\d\\d) ${TIME} gmt$`,
  'i',
);
const ASCTIME = new RegExp(`^(?:mon|tue|wed|thu|fri|sat|sun) ${MONTH} ([ \\d]\\d) ${TIME} (\\d{4})$`, 'i');

/** Milliseconds since 1970; NaN: invalid. `now`: decides the century of a two-digit year. */
export function parseHttpDate(text: string, now: number): number {
  const imf = IMF_FIXDATE.exec(text);
  if (imf !== null) return timeOf(Number(imf[3]), imf[2], imf[1], imf, 4);
  const rfc850 = RFC_850.exec(text);
  if (rfc850 !== null) return timeOf(fullYear(Number(rfc850[3]), now), rfc850[2], rfc850[1], rfc850, 4);
  const asctime = ASCTIME.exec(text);
  return asctime === null ? Number.NaN : timeOf(Number(asctime[6]), asctime[1], asctime[2], asctime, 3);
}

/** A year more than 50 years ahead belongs to the previous century (RFC 9110 section 5.6.7). */
function fullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

/** `hourGroup`: index of the group with the hour; minute and second follow. */
function timeOf(year: number, month: string, day: string, groups: RegExpExecArray, hourGroup: number): number {
  const monthIndex = MONTHS.indexOf(month.toLowerCase()) / 3;
  const hour = Number(groups[hourGroup]);
  const minute = Number(groups[hourGroup + 1]);
  const second = Number(groups[hourGroup + 2]); // 60: a leap second
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, monthIndex, Number(day));
  if (midnight.getUTCDate() !== Number(day)) return Number.NaN; // 31 February, for example
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** IMF-fixdate, always 29 characters. */
export function formatHttpDate(time: number): string {
  return new Date(time).toUTCString();
}
