/** Forms of TXT contents: plain text, SPF, DKIM and DMARC. */
import { type ContentForm, readTags, type Values, writeTags } from './form.ts';
import { isSplitAsNeeded, quoteText, readText } from './strings.ts';

const plain: ContentForm = {
  id: 'text',
  fields: [{ key: 'text', kind: 'area' }],
  initial: { text: '' },
  parse(content) {
    const text = readText(content);
    // String boundaries can be significant, for example in DNS-SD (RFC 6763 section 6).
    return text === null || !isSplitAsNeeded(content) ? null : { text };
  },
  format: ({ text }) => quoteText(text),
};

const SPF_START = 'v=spf1';
const SPF_ALL = ['-all', '~all', '?all', '+all'];

/** Splits a field into words. */
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');
const flagOf = (isSet: boolean): string => (isSet ? 'true' : '');

/**
 * RFC 7208. Terms without a field are kept in `other`. The form changes the order of terms. The
 * order matters for qualifiers other than `+` and after `all`, so such contents are not parsed.
 */
const spf: ContentForm = {
  id: 'spf',
  fields: [
    { key: 'mx', kind: 'check' },
    { key: 'a', kind: 'check' },
    { key: 'addresses', kind: 'area', placeholder: '192.0.2.0/24' },
    { key: 'includes', kind: 'area', placeholder: '_spf.example.net' },
    { key: 'other', kind: 'text' },
    { key: 'all', kind: 'choice', choices: [...SPF_ALL, ''] },
  ],
  initial: { mx: 'true', a: '', addresses: '', includes: '', other: '', all: '-all' },
  usualName: '@',
  parse(content) {
    const [start, ...terms] = listOf(readText(content) ?? '');
    if (start?.toLowerCase() !== SPF_START) return null;
    const addresses: string[] = [];
    const includes: string[] = [];
    const other: string[] = [];
    const set = new Set<string>();
    let all = '';
    for (const term of terms) {
      const lower = term.toLowerCase();
      const isAll = SPF_ALL.includes(lower) || lower === 'all';
      if (!isAll && (/^[-~?]/.test(term) || (all !== '' && !term.includes('=')))) return null;
      if (lower === 'mx' || lower === 'a') set.add(lower);
      else if (/^ip[46]:/.test(lower)) addresses.push(term.slice(4));
      else if (lower.startsWith('include:')) includes.push(term.slice(8));
      else if (isAll && all === '') all = lower === 'all' ? '+all' : lower;
      else other.push(term);
    }
    return {
      mx: flagOf(set.has('mx')),
      a: flagOf(set.has('a')),
      addresses: addresses.join('\n'),
      includes: includes.join('\n'),
      other: other.join(' '),
      all,
    };
  },
  format({ mx, a, addresses, includes, other, all }) {
    const terms = [
      SPF_START,
      ...(mx === '' ? [] : ['mx']),
      ...(a === '' ? [] : ['a']),
      ...listOf(addresses).map((address) => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`),
      ...listOf(includes).map((name) => `include:${name}`),
      ...listOf(other),
      ...(all === '' ? [] : [all]),
    ];
    return quoteText(terms.join(' '));
  },
};

/** The base64 of a key, without the header and footer lines of a pasted PEM file. */
const keyOf = (text: string): string => text.replace(/-----[^-]*-----/g, '').replace(/[\s"]+/g, '');

/** RFC 6376 section 3.6.1, RFC 8463. */
const dkim: ContentForm = {
  id: 'dkim',
  fields: [
    { key: 'keyType', kind: 'choice', choices: ['rsa', 'ed25519'] },
    { key: 'publicKey', kind: 'area', placeholder: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A…' },
    { key: 'isTest', kind: 'check' },
  ],
  initial: { keyType: 'rsa', publicKey: '', isTest: '' },
  usualName: 'default._domainkey',
  parse(content) {
    const tags = readTags(readText(content) ?? '');
    if (tags === null || tags.get('v')?.toUpperCase() !== 'DKIM1') return null;
    const keyType = tags.get('k') ?? 'rsa';
    const flags = tags.get('t') ?? '';
    const hasOthers = [...tags.keys()].some((tag) => !['v', 'k', 'p', 't'].includes(tag));
    if (hasOthers || !['rsa', 'ed25519'].includes(keyType) || !['', 'y'].includes(flags)) return null;
    return { keyType, publicKey: tags.get('p') ?? '', isTest: flagOf(flags === 'y') };
  },
  format: ({ keyType, publicKey, isTest }) =>
    quoteText(
      `${writeTags([
        ['v', 'DKIM1'],
        ['k', keyType],
        ['t', isTest === '' ? '' : 'y'],
      ])}; p=${keyOf(publicKey)}`,
    ),
};

const DMARC_TAGS = ['v', 'p', 'sp', 'pct', 'rua', 'ruf', 'adkim', 'aspf'];
const POLICIES = ['none', 'quarantine', 'reject'];
const ALIGNMENTS = ['r', 's'];

/** Addresses of reports are URIs (RFC 7489 section 6.2). */
const asUris = (text: string): string =>
  listOf(text)
    .map((address) => (/^[a-z]+:/i.test(address) ? address : `mailto:${address}`))
    .join(',');
const fromUris = (text: string): string =>
  listOf(text)
    .map((uri) => uri.replace(/^mailto:/i, ''))
    .join(', ');

/** RFC 7489 section 6.3. */
const dmarc: ContentForm = {
  id: 'dmarc',
  fields: [
    { key: 'policy', kind: 'choice', choices: POLICIES },
    { key: 'subdomainPolicy', kind: 'choice', choices: ['', ...POLICIES] },
    { key: 'percent', kind: 'text', placeholder: '100' },
    { key: 'reports', kind: 'text', placeholder: 'dmarc@example.com' },
    { key: 'failures', kind: 'text' },
    { key: 'dkimAlignment', kind: 'choice', choices: ALIGNMENTS },
    { key: 'spfAlignment', kind: 'choice', choices: ALIGNMENTS },
  ],
  initial: {
    policy: 'none',
    subdomainPolicy: '',
    percent: '',
    reports: '',
    failures: '',
    dkimAlignment: 'r',
    spfAlignment: 'r',
  },
  usualName: '_dmarc',
  parse(content) {
    const tags = readTags(readText(content) ?? '');
    if (tags === null || tags.get('v')?.toUpperCase() !== 'DMARC1') return null;
    if ([...tags.keys()].some((tag) => !DMARC_TAGS.includes(tag))) return null;
    const values: Values = {
      policy: tags.get('p') ?? '',
      subdomainPolicy: tags.get('sp') ?? '',
      percent: tags.get('pct') ?? '',
      reports: fromUris(tags.get('rua') ?? ''),
      failures: fromUris(tags.get('ruf') ?? ''),
      dkimAlignment: tags.get('adkim') ?? 'r',
      spfAlignment: tags.get('aspf') ?? 'r',
    };
    return dmarc.fields.every(({ key, choices }) => choices?.includes(values[key]) ?? true) ? values : null;
  },
  format: ({ policy, subdomainPolicy, percent, reports, failures, dkimAlignment, spfAlignment }) =>
    quoteText(
      writeTags([
        ['v', 'DMARC1'],
        ['p', policy],
        ['sp', subdomainPolicy],
        ['pct', percent.trim()],
        ['rua', asUris(reports)],
        ['ruf', asUris(failures)],
        ['adkim', dkimAlignment === 'r' ? '' : dkimAlignment],
        ['aspf', spfAlignment === 'r' ? '' : spfAlignment],
      ]),
    ),
};

/** Plain text is last because it can represent every content. */
export const TEXT_FORMS: readonly ContentForm[] = [spf, dkim, dmarc, plain];
