/** Rules about style sheets, style elements and style attributes. */
import type { RuleTable } from '../finding.ts';

export const STYLE_RULES = {
  style_code: {
    type: 'error',
    title: 'Code in a style sheet',
    about: 'expression(…), behavior:, -moz-binding: and url(javascript:…) run code where an engine knows them.',
    fix: 'Write it as a script.',
  },
  style_syntax: {
    type: 'warning',
    title: 'A style sheet does not parse',
    about: 'Browsers drop a declaration or rule that they cannot read, and sometimes what follows it.',
    fix: 'Correct the syntax.',
  },
  style_too_large: {
    type: 'warning',
    title: 'A style sheet that is nested too deeply, or too large, to be checked for syntax',
    about: 'Its URLs and imports were audited; whether it parses was not.',
    fix: 'Split it.',
  },
} as const satisfies RuleTable;
