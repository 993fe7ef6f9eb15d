/**
 * The `date` of responses (RFC 9110 section 6.6.1), made once a second and a thread. Without a
 * timer: a look at the clock costs less than being woken in every second in which nobody asks.
 */
let second = -1;
let text = '';
let bytes: Uint8Array = new Uint8Array(0);

function renew(): void {
  const now = Math.floor(Date.now() / 1000);
  if (now === second) return;
  second = now;
  text = new Date(now * 1000).toUTCString();
  bytes = Buffer.from(text, 'latin1');
}

/**
 * IMF-fixdate (RFC 9110 section 5.6.7), always 29 characters. The same string object all second
 * long.
 */
export function currentDate(): string {
  renew();
  return text;
}

/**
 * The same in ASCII, 29 bytes; other bytes in the next second, never the same ones changed. Not to
 * be written to.
 */
export function currentDateBytes(): Uint8Array {
  renew();
  return bytes;
}
