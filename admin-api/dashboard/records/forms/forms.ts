/** The forms of each record type. Other types have a single field for their content. */
import { type ContentForm, columnForm } from './form.ts';
import { SERVICE_FORM } from './service-forms.ts';
import { quoteText, readWords, textOf } from './strings.ts';
import { TEXT_FORMS } from './text-forms.ts';

const CAA_TAGS = ['issue', 'issuewild', 'issuemail', 'iodef', 'contactemail', 'contactphone'];

/** RFC 8659 section 4.1. */
const caa: ContentForm = {
  id: 'caa',
  fields: [
    { key: 'tag', kind: 'choice', choices: CAA_TAGS },
    { key: 'value', kind: 'text', placeholder: 'letsencrypt.org' },
    { key: 'isCritical', kind: 'check' },
  ],
  initial: { tag: 'issue', value: '', isCritical: '' },
  parse(content) {
    if (content.trim() === '') return caa.initial;
    const words = readWords(content);
    if (words?.length !== 3) return null;
    const [flags, tag, value] = words.map(({ bytes }) => textOf(bytes));
    if (value === null || tag === null || !CAA_TAGS.includes(tag) || (flags !== '0' && flags !== '128')) return null;
    return { tag, value, isCritical: flags === '128' ? 'true' : '' };
  },
  format: ({ tag, value, isCritical }) => `${isCritical === '' ? 0 : 128} ${tag} ${quoteText(value.trim())}`,
};

const FORMS: Readonly<Record<string, readonly ContentForm[]>> = {
  MX: [
    columnForm(
      'mx',
      [
        { key: 'priority', kind: 'text', placeholder: '10' },
        { key: 'target', kind: 'text', placeholder: 'mail.example.com' },
      ],
      { priority: '10', target: '' },
    ),
  ],
  SRV: [
    columnForm(
      'srv',
      [
        { key: 'priority', kind: 'text', placeholder: '10' },
        { key: 'weight', kind: 'text', placeholder: '5' },
        { key: 'port', kind: 'text', placeholder: '5060' },
        { key: 'target', kind: 'text', placeholder: 'sip.example.com' },
      ],
      { priority: '10', weight: '5', port: '', target: '' },
    ),
  ],
  CAA: [caa],
  TXT: TEXT_FORMS,
  HTTPS: [SERVICE_FORM],
  SVCB: [SERVICE_FORM],
  TLSA: [
    columnForm(
      'tlsa',
      [
        { key: 'usage', kind: 'choice', choices: ['0', '1', '2', '3'] },
        { key: 'selector', kind: 'choice', choices: ['0', '1'] },
        { key: 'matching', kind: 'choice', choices: ['0', '1', '2'] },
        { key: 'hex', kind: 'area' },
      ],
      { usage: '3', selector: '1', matching: '1', hex: '' },
    ),
  ],
  SSHFP: [
    columnForm(
      'sshfp',
      [
        { key: 'algorithm', kind: 'choice', choices: ['1', '2', '3', '4', '6'] },
        { key: 'hash', kind: 'choice', choices: ['1', '2'] },
        { key: 'hex', kind: 'area' },
      ],
      { algorithm: '4', hash: '2', hex: '' },
    ),
  ],
};

/** The forms of a type. Empty: the type has a single field. */
export const formsOf = (type: string): readonly ContentForm[] => FORMS[type] ?? [];

/** The first form that can represent a content. Undefined: none. */
export const formOf = (type: string, content: string): ContentForm | undefined =>
  formsOf(type).find((form) => form.parse(content) !== null);
