/** Rules for unreadable code. */
import type { RuleTable } from '../finding.ts';

export const DENSITY_RULES = {
  minified: {
    type: 'notice',
    title: 'The file is minified',
    about: 'Long lines with few blanks, as in bundles. This is allowed, but a review takes longer.',
    fix: 'Nothing, or build without minification: the package is compressed anyway.',
  },
  obfuscated: {
    type: 'warning',
    review: true,
    title: 'The code is obfuscated',
    about:
      'The code hides what it does: many names like _0x3fa2, strings written in escapes, tables of strings that are rotated at the start, code made of brackets and signs only (JSFuck, JJEncode), or texts as lists of character codes. Minified code does not count.',
    fix: 'Build without the obfuscator; minify at most.',
  },
  encoded_payload: {
    type: 'warning',
    review: true,
    title: 'A long encoded text in the code',
    about:
      'A string of 4,096 characters or more in base64 or hexadecimal, without data: before it, whose content is unknown.',
    fix: 'Put data into a file of the package, or write it as a data: URL with its type.',
  },
  bidi_control: {
    type: 'error',
    title: 'Code has characters that change the direction of writing',
    about:
      'U+202A to U+202E and U+2066 to U+2069 make an editor show code in another order than it runs (CVE-2021-42574, "Trojan Source").',
    fix: 'Leave it out, or write it as an escape: \\u2067 in scripts, &#x2067; in pages, \\2067 in style sheets.',
  },
  invisible_character: {
    type: 'warning',
    review: true,
    title: 'Code has invisible characters',
    about:
      'Blanks without width, fillers, tags and rows of variation selectors are invisible and can contain names or data. Joiners, which emoji and some scripts need, and a byte order mark at the beginning do not count; nor do soft hyphens in pages.',
    fix: 'Leave them out, or write them as escapes.',
  },
} as const satisfies RuleTable;
