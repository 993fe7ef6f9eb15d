/** Forms of HTTPS and SVCB contents (RFC 9460). */
import type { ContentForm } from './form.ts';
import { readWords, textOf } from './strings.ts';

/** Parameters with their own form field, by their name in the content. */
const LISTS: Readonly<Record<string, string>> = {
  alpn: 'alpn',
  port: 'port',
  ipv4hint: 'ipv4hint',
  ipv6hint: 'ipv6hint',
  ech: 'ech',
};
const NO_DEFAULT = 'no-default-alpn';

export const SERVICE_FORM: ContentForm = {
  id: 'service',
  fields: [
    { key: 'priority', kind: 'text', placeholder: '1' },
    { key: 'target', kind: 'text', placeholder: '.' },
    { key: 'alpn', kind: 'text', placeholder: 'h3,h2' },
    { key: 'noDefaultAlpn', kind: 'check' },
    { key: 'port', kind: 'text', placeholder: '443' },
    { key: 'ipv4hint', kind: 'text', placeholder: 'auto, or 192.0.2.1' },
    { key: 'ipv6hint', kind: 'text', placeholder: 'auto, or 2001:db8::1' },
    { key: 'ech', kind: 'text' },
    { key: 'otherParameters', kind: 'text', placeholder: 'key65400="text"' },
  ],
  initial: {
    priority: '1',
    target: '.',
    alpn: 'h2',
    noDefaultAlpn: '',
    port: '',
    ipv4hint: '',
    ipv6hint: '',
    ech: '',
    otherParameters: '',
  },
  parse(content) {
    const [priority, target, ...parameters] = splitParameters(content);
    if (target === undefined) return content.trim() === '' ? SERVICE_FORM.initial : null;
    const values: Record<string, string> = { priority, target, noDefaultAlpn: '', otherParameters: '' };
    for (const field of Object.values(LISTS)) values[field] = '';
    const others: string[] = [];
    for (const parameter of parameters) {
      const [, name, value] = /^([^=]+)=?([\s\S]*)$/.exec(parameter) ?? [parameter, parameter, ''];
      const field = LISTS[name.toLowerCase()];
      const text = field === undefined ? null : plainValue(value);
      if (name.toLowerCase() === NO_DEFAULT) values.noDefaultAlpn = 'true';
      else if (field !== undefined && text !== null && values[field] === '') values[field] = text;
      else others.push(parameter);
    }
    return { ...values, otherParameters: others.join(' ') };
  },
  format(values) {
    const parameters = Object.entries(LISTS).flatMap(([name, field]) => {
      const value = values[field].replace(/\s+/g, '');
      return value === '' ? [] : [`${name}=${value}`];
    });
    if (values.noDefaultAlpn !== '') parameters.splice(values.alpn.trim() === '' ? 0 : 1, 0, NO_DEFAULT);
    return [values.priority, values.target, ...parameters, values.otherParameters]
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join(' ');
  },
};

/** Splits at spaces outside of quotes. */
const splitParameters = (content: string): string[] =>
  content.match(/(?:"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s"\\])+/g) ?? [];

/** Removes the quotes of a value. Null: the value needs its quotes, or is not text. */
function plainValue(value: string): string | null {
  if (value === '') return null;
  const words = readWords(value);
  if (words === null || words.length !== 1) return null;
  const text = textOf(words[0].bytes);
  return text !== null && /^[\x21-\x7e]+$/.test(text) && !/["\\]/.test(text) ? text : null;
}
