/** Converts times: `YYYY-MM-DD HH:MM:SS` in UTC in the API, seconds since 1970 in rows. */

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** The last result is cached, because neighbouring rows often have the same time. */
let lastSeconds = -1;
let lastText = '';

export function formatTime(seconds: number): string {
  if (seconds !== lastSeconds) {
    lastText = new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
    lastSeconds = seconds;
  }
  return lastText;
}

/** Seconds since 1970; undefined if the text is not a valid time. */
export function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined;
  const milliseconds = Date.parse(`${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(milliseconds) || formatTime(milliseconds / 1000) !== text) return undefined;
  return milliseconds / 1000;
}
