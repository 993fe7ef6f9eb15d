/** Forms for record contents. They parse a content into named fields, and format it again. */

/** The fields of a form, as text. A checkbox is `true` or empty. */
export type Values = Readonly<Record<string, string>>;

type FieldKind = 'text' | 'area' | 'check' | 'choice';

export interface FormField {
  /** Also the key of its texts. */
  readonly key: string;
  readonly kind: FieldKind;
  readonly placeholder?: string;
  /** Options of a choice. The texts describe them. */
  readonly choices?: readonly string[];
}

export interface ContentForm {
  /** Key of its texts. */
  readonly id: string;
  readonly fields: readonly FormField[];
  readonly initial: Values;
  /** The usual name of such records, if it differs from the name of the user's host. */
  readonly usualName?: string;
  /** Null: the form cannot represent the content. */
  parse(content: string): Values | null;
  format(values: Values): string;
}

/** A form for space-separated fields. The last field may contain spaces. */
export function columnForm(id: string, fields: readonly FormField[], initial: Values): ContentForm {
  const keys = fields.map(({ key }) => key);
  return {
    id,
    fields,
    initial,
    parse(content) {
      const words = content.trim() === '' ? [] : content.trim().split(/\s+/);
      if (words.length === 0) return initial;
      const last = keys.length - 1;
      const texts = fields.map(({ choices }, i) =>
        i === last ? words.slice(i).join(' ') : (words[i] ?? choices?.[0] ?? ''),
      );
      const isShown = fields.every(({ choices }, i) => choices === undefined || choices.includes(texts[i]));
      return isShown ? Object.fromEntries(keys.map((key, i) => [key, texts[i]])) : null;
    },
    format: (values) =>
      keys
        .map((key) => (values[key] ?? '').trim())
        .join(' ')
        .trim(),
  };
}

/** `a=1; b=2`, as in DKIM and DMARC. Null: a part has no `=`, or a tag occurs twice. */
export function readTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [, tag, value] = /^\s*(\w+)\s*=\s*([\s\S]*?)\s*$/.exec(part) ?? [];
    if (tag === undefined || tags.has(tag)) return null;
    tags.set(tag, value);
  }
  return tags;
}

/** Formats tags, without those whose value is empty. */
export const writeTags = (tags: readonly (readonly [string, string])[]): string =>
  tags
    .filter(([, value]) => value !== '')
    .map(([tag, value]) => `${tag}=${value}`)
    .join('; ');
