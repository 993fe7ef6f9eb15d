/**
 * Cache-Tag: names by which many responses can be purged at once. Not from an RFC; other content
 * delivery networks read the field in the same way.
 */
import { isCacheTag } from '../../../core/base/cache-tag.ts';
import { trimmed } from './fields.ts';

/**
 * Tags of one response. A response with more tags, or with an invalid one, is not stored: a purge
 * by a missing tag would not find it.
 */
const MAX_TAGS = 256;

/** Tags are separated by commas and case-sensitive. Undefined: too many, or an invalid one. */
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
  return tags.length <= MAX_TAGS && tags.every(isCacheTag) ? tags : undefined;
}
