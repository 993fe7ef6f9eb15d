/** Cache-Tag: names by which an origin purges many responses at once. Not of an RFC; content delivery networks read it so. */

import { trimmed } from './fields.ts';

/** Of a response. More of them, or longer ones, and it is not stored: a purge by the tags that were left out would miss it. */
const MOST_TAGS = 256;
const LONGEST_TAG = 1024;

/** Parted by commas, case counts. Undefined: too many or too long. */
export function parseCacheTags(value: string): string[] | undefined {
  if (value === '') return [];
  const tags = [
    ...new Set(
      value
        .split(',')
        .map(trimmed)
        .filter((tag) => tag !== ''),
    ),
  ];
  return tags.length <= MOST_TAGS && tags.every((tag) => tag.length <= LONGEST_TAG) ? tags : undefined;
}
