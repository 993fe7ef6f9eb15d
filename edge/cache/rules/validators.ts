/** Entity tags and dates as validators (RFC 9110 sections 8.8 and 13.1). */
import { members, trimmed } from './fields.ts';

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Section 8.8.3. A value without quotes is invalid, and cannot be sent back to the origin. */
export const isEntityTag = (text: string): boolean => ENTITY_TAG.test(text);

export const isWeak = (etag: string): boolean => etag.startsWith('W/');

const opaqueTag = (etag: string): string => (isWeak(etag) ? etag.slice(2) : etag);

/** Strong and weak comparison of valid tags (section 8.8.3.2). */
export const matchStrongly = (left: string, right: string): boolean => left === right && !isWeak(left);
export const matchWeakly = (left: string, right: string): boolean => opaqueTag(left) === opaqueTag(right);

/**
 * Whether If-None-Match has this tag, by weak comparison, or is "*" (section 13.1.2). `etag`: empty
 * without one.
 */
export function listMatches(list: string, etag: string): boolean {
  if (trimmed(list) === '*') return true;
  return etag !== '' && members(list).some((member) => isEntityTag(member) && matchWeakly(member, etag));
}
