/**
 * Tags of the Cache-Tag field. An origin tags responses, and a purge selects them by tag; both use
 * the same rules.
 */

/** The same limit as the largest CDNs that support the field. */
const MAX_TAG = 1024;

/**
 * Printable ASCII, with spaces inside but not at the ends. Commas separate tags. Other bytes have
 * no form that the field and JSON share.
 */
const TAG = /^[!-+\--~](?:[ -+\--~]*[!-+\--~])?$/;

export const CACHE_TAG_RULE = `must be 1 to ${MAX_TAG} printable ASCII characters without commas, and without spaces around it`;

/** Tags are case-sensitive. */
export function isCacheTag(text: string): boolean {
  return text.length <= MAX_TAG && TAG.test(text);
}
