/**
 * Templates of error pages: HTML with placeholders such as `{{status}}`. A template is parsed when
 * the edge loads its site; rendering only joins its parts.
 */
import { escapeHtml } from '../../base/html.ts';

/** Bytes of a page in UTF-8. */
export const MAX_PAGE_BYTES = 32 * 1024;
/** A status such as `404`, or a class of statuses. */
export const PAGE_STATUS = '^(?:[45][0-9]{2}|[45]xx)$';

/** The meaning of each placeholder. */
export const PLACEHOLDERS = {
  status: 'the status, such as 502',
  title: 'a short title, such as "The site does not respond"',
  reason: 'a sentence for the visitor',
  code: 'a stable code for programs, such as origin_refused',
  request_id: 'the id of the request, which is in the logs too',
  host: 'the host name that was visited',
  time: 'the time in UTC, such as 2026-11-27 08:00:00',
} as const;

type Placeholder = keyof typeof PLACEHOLDERS;

/** Plain text; it is escaped when the page is rendered. */
export type PlaceholderValues = Readonly<Record<Placeholder, string>>;

/** The pieces of a page: `literals[0]`, a value, `literals[1]`, a value and so on. */
export interface Template {
  readonly literals: readonly string[];
  readonly placeholders: readonly Placeholder[];
}

/** An unknown placeholder, or "{{" that opens none. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

const OPENING = /\{\{/g;
const NAMED = /\{\{ ?([a-z_]{1,32}) ?\}\}/y;

/** Throws TemplateFault. Its time is linear in the length of the text. */
export function parseTemplate(html: string): Template {
  const literals: string[] = [];
  const placeholders: Placeholder[] = [];
  let start = 0;
  for (const { index } of html.matchAll(OPENING)) {
    // "{{{{" contains more than one opening.
    if (index < start) continue;
    NAMED.lastIndex = index;
    const found = NAMED.exec(html);
    if (found === null || !isPlaceholder(found[1])) throw new TemplateFault(describeFault(html, index, found?.[1]));
    literals.push(html.slice(start, index));
    placeholders.push(found[1]);
    start = NAMED.lastIndex;
  }
  literals.push(html.slice(start));
  return { literals, placeholders };
}

export function renderTemplate({ literals, placeholders }: Template, values: PlaceholderValues): string {
  let html = literals[0];
  for (let i = 0; i < placeholders.length; i++) html += escapeHtml(values[placeholders[i]]) + literals[i + 1];
  return html;
}

const isPlaceholder = (name: string): name is Placeholder => Object.hasOwn(PLACEHOLDERS, name);

function describeFault(html: string, index: number, name: string | undefined): string {
  const line = html.slice(0, index).split('\n').length;
  const all = Object.keys(PLACEHOLDERS)
    .map((placeholder) => `{{${placeholder}}}`)
    .join(', ');
  return name === undefined
    ? `"{{" in line ${line} opens no placeholder; use one of ${all}`
    : `line ${line} has the unknown placeholder {{${name}}}; use one of ${all}`;
}
