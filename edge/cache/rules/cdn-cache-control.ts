/**
 * CDN-Cache-Control (RFC 9213): directives for this kind of cache. They replace Cache-Control and
 * Expires.
 */
import { addDirective, noDirectives, type ResponseDirectives } from './directives.ts';
import { parseDictionary } from './structured-dictionary.ts';

/** Undefined: the field is empty or malformed, and counts as absent (section 2.1). */
export function parseCdnCacheControl(value: string): ResponseDirectives | undefined {
  const dictionary = parseDictionary(value);
  if (dictionary === undefined || dictionary.size === 0) return undefined;
  const directives = noDirectives();
  for (const [name, member] of dictionary) {
    switch (member.type) {
      case 'true':
        addDirective(directives, name, undefined);
        break;
      case 'integer':
        addDirective(directives, name, member.value, false);
        break;
      case 'text':
        // A number written as a string is not valid as a number (section 2.1).
        addDirective(directives, name, takesSeconds(name) ? '?' : member.value);
        break;
      case 'other':
        addDirective(directives, name, '?', false);
    }
  }
  return directives;
}

function takesSeconds(name: string): boolean {
  return name === 'max-age' || name === 's-maxage' || name.startsWith('stale-');
}
