import { timingSafeEqual } from 'node:crypto';

/** Whether a text is the secret. Takes the same time for all texts of its length. */
export function isSameSecret(text: string, secret: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
