/** Entity tags and dates as validators (RFC 9110 sections 8.8 and 13.1). */
import { members, trimmed } from './fields.ts';

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Section 8.8.3. What has no quotes is none, and cannot be told back to the origin. */
export const isEntityTag = (text: string): boolean => ENTITY_TAG.test(text);

export const isWeak = (etag: string): boolean => etag.startsWith('W/');

const opaque = (etag: string): string => (isWeak(etag) ? etag.slice(2) : etag);

/** Section 8.8.3.2. Both well-formed. */
export const matchStrongly = (one: string, other: string): boolean => one === other && !isWeak(one);
export const matchWeakly = (one: string, other: string): boolean => opaque(one) === opaque(other);

/** Whether a list of If-None-Match holds this tag, compared weakly (section 13.1.2), or is "*". `etag`: empty without one. */
export function listHolds(list: string, etag: string): boolean {
  if (trimmed(list) === '*') return true;
  return etag !== '' && members(list).some((member) => isEntityTag(member) && matchWeakly(member, etag));
}
