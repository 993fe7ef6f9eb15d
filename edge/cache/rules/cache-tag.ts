/** Cache-Tag: names by which an origin purges many responses at once. Not of an RFC; content delivery networks read it so. */
import { isCacheTag } from '../../../core/base/cache-tag.ts';
import { trimmed } from './fields.ts';

/** Of a response. More of them, or such as no purge can name, and it is not stored: a purge by the tags that were left out would miss it. */
const MOST_TAGS = 256;

/** Parted by commas, case counts. Undefined: too many, or one that is none. */
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
  return tags.length <= MOST_TAGS && tags.every(isCacheTag) ? tags : undefined;
}
