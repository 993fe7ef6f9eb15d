/** CDN-Cache-Control (RFC 9213): directives for caches such as this one, in place of Cache-Control and Expires. */
import { addDirective, noDirectives, type ResponseDirectives } from './directives.ts';
import { parseDictionary } from './structured-dictionary.ts';

/** Undefined when the field is empty or malformed: it is as if it were not there (section 2.1). */
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
        // A number that is written as a text is not to be taken for one (section 2.1): what it was to say is not known.
        addDirective(directives, name, isNumber(name) ? '?' : member.value);
        break;
      case 'other':
        addDirective(directives, name, '?', false);
    }
  }
  return directives;
}

function isNumber(name: string): boolean {
  return name === 'max-age' || name === 's-maxage' || name.startsWith('stale-');
}
