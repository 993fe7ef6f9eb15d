/** Dates of HTTP (RFC 9110 section 5.6.7), as a cache reads them: all three forms, in any case (RFC 9111 section 4.2), in GMT only. */

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const TIME = '(\\d\\d):(\\d\\d):(\\d\\d)';
const IMF_FIXDATE = new RegExp(`^(?:mon|tue|wed|thu|fri|sat|sun), (\\d\\d) ${MONTH} (\\d{4}) ${TIME} gmt$`, 'i');
const RFC_850 = new RegExp(
  `^(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday), (\\d\\d)-${MONTH}-(\\d\\d) ${TIME} gmt$`,
  'i',
);
const ASCTIME = new RegExp(`^(?:mon|tue|wed|thu|fri|sat|sun) ${MONTH} ([ \\d]\\d) ${TIME} (\\d{4})$`, 'i');

/** Milliseconds since 1970; NaN for what is no date. `now`: what two digits of a year are read against. */
export function parseHttpDate(text: string, now: number): number {
  const usual = IMF_FIXDATE.exec(text);
  if (usual !== null) return timeOf(Number(usual[3]), usual[2], usual[1], usual, 4);
  const old = RFC_850.exec(text);
  if (old !== null) return timeOf(fullYear(Number(old[3]), now), old[2], old[1], old, 4);
  const c = ASCTIME.exec(text);
  return c === null ? Number.NaN : timeOf(Number(c[6]), c[1], c[2], c, 3);
}

/** More than 50 years ahead is the last year in the past that ends so. */
function fullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

/** `at`: the group of the hour; minute and second follow it. */
function timeOf(year: number, month: string, day: string, groups: RegExpExecArray, at: number): number {
  const monthIndex = MONTHS.indexOf(month.toLowerCase()) / 3;
  const hour = Number(groups[at]);
  const minute = Number(groups[at + 1]);
  const second = Number(groups[at + 2]); // 60 is a leap second
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, monthIndex, Number(day));
  if (midnight.getUTCDate() !== Number(day)) return Number.NaN; // no such day, as 31 February
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** IMF-fixdate, always 29 characters. */
export function formatHttpDate(time: number): string {
  return new Date(time).toUTCString();
}
