/** Searches in names and contents: in any case, in A-labels or in Unicode. */
import { domainToUnicode } from 'node:url';

/** `ascii`: a name in A-labels. Appends a tab and the Unicode form, if that differs. */
export function searchTextOf(ascii: string): string {
  const unicode = ascii.includes('xn--') ? domainToUnicode(ascii) : '';
  return unicode === '' || unicode === ascii ? ascii : `${ascii}\t${unicode}`;
}

/** The dots of UTS 46: ideographic, fullwidth, halfwidth. */
const DOTS = /[\u3002\uff0e\uff61]/g;

/** Converts the input of a user to the form of these texts. Empty: every name. */
export function normalizeSearch(text = ''): string {
  return text.normalize('NFC').toLowerCase().replace(DOTS, '.');
}

const A_LABEL = /xn--[a-z0-9-]+/g;

/** Whether a text contains `wanted`, a result of normalizeSearch. */
export function containsText(text: string, wanted: string): boolean {
  const lower = text.toLowerCase();
  if (lower.includes(wanted)) return true;
  return lower.includes('xn--') && lower.replace(A_LABEL, (label) => domainToUnicode(label)).includes(wanted);
}
