/** A tag of Cache-Tag, by which an origin names responses and a purge finds them: what one side takes, the other has to know. */

/** As with the largest of the networks that read the field. */
export const LONGEST_TAG = 1024;

/** Printable ASCII, with spaces within but not around it; commas part tags. Other bytes have no spelling that the field and JSON share. */
const TAG = /^[!-+\--~](?:[ -+\--~]*[!-+\--~])?$/;

export const CACHE_TAG_RULE = `must be 1 to ${LONGEST_TAG} printable ASCII characters without commas, and without spaces around it`;

/** Case counts. */
export function isCacheTag(text: string): boolean {
  return text.length <= LONGEST_TAG && TAG.test(text);
}
