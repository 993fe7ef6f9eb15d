/**
 * Records that mail providers and other services ask for, as their set-up pages list them. Pure, so
 * that tests import it.
 */
import { changeRecord, deleteRecord, type Edits, type Fields, type StoredRecord } from './edits.ts';
import { quoteText, readText } from './forms/strings.ts';

export interface PresetInput {
  /** Also the key of its texts. */
  readonly key: string;
  readonly placeholder: string;
  readonly isOptional?: boolean;
}

export interface Preset {
  readonly id: string;
  /** A name of a product, which no language translates. */
  readonly title: string;
  readonly kind: 'mail' | 'verification';
  readonly inputs: readonly PresetInput[];
  /** `domain`: in A-labels, without the last dot. */
  records(values: Readonly<Record<string, string>>, domain: string): readonly Fields[];
}

const AUTOMATIC = 1;

const recordOf = (name: string, type: string, content: string): Fields => ({ name, type, content, ttl: AUTOMATIC });
const text = (name: string, value: string): Fields => recordOf(name, 'TXT', quoteText(value));
const spf = (include: string, all: string): Fields => text('@', `v=spf1 include:${include} ${all}`);
const mx = (priority: number, target: string): Fields => recordOf('@', 'MX', `${priority} ${target}`);
const alias = (name: string, target: string): Fields => recordOf(name, 'CNAME', target);
/** No records for an input that was left empty. */
const when = (value: string | undefined, of: (value: string) => readonly Fields[]): readonly Fields[] => {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? [] : of(trimmed);
};
/** Users paste a whole value as well as its end. */
const withStart = (start: string, value: string): string => (value.startsWith(start) ? value : `${start}${value}`);

const DKIM: PresetInput = { key: 'dkim', placeholder: 'v=DKIM1; k=rsa; p=…', isOptional: true };
const CODE: PresetInput = { key: 'code', placeholder: '', isOptional: true };

const MAIL: readonly Preset[] = [
  {
    id: 'google',
    title: 'Google Workspace',
    kind: 'mail',
    inputs: [DKIM],
    records: ({ dkim }) => [
      mx(1, 'smtp.google.com'),
      spf('_spf.google.com', '~all'),
      ...when(dkim, (value) => [text('google._domainkey', value)]),
    ],
  },
  {
    id: 'microsoft',
    title: 'Microsoft 365',
    kind: 'mail',
    inputs: [{ key: 'tenant', placeholder: 'contoso.onmicrosoft.com', isOptional: true }],
    records({ tenant }, domain) {
      const dashed = domain.replaceAll('.', '-');
      return [
        mx(0, `${dashed}.mail.protection.outlook.com`),
        spf('spf.protection.outlook.com', '-all'),
        alias('autodiscover', 'autodiscover.outlook.com'),
        ...when(tenant, (name) =>
          [1, 2].map((n) => alias(`selector${n}._domainkey`, `selector${n}-${dashed}._domainkey.${name}`)),
        ),
      ];
    },
  },
  {
    id: 'fastmail',
    title: 'Fastmail',
    kind: 'mail',
    inputs: [],
    records: (_, domain) => [
      mx(10, 'in1-smtp.messagingengine.com'),
      mx(20, 'in2-smtp.messagingengine.com'),
      spf('spf.messagingengine.com', '?all'),
      ...[1, 2, 3].map((n) => alias(`fm${n}._domainkey`, `fm${n}.${domain}.dkim.fmhosted.com`)),
    ],
  },
  {
    id: 'proton',
    title: 'Proton Mail',
    kind: 'mail',
    inputs: [
      { key: 'code', placeholder: 'protonmail-verification=…' },
      { key: 'protonKey', placeholder: 'd….domains.proton.ch', isOptional: true },
    ],
    records: ({ code, protonKey }) => [
      ...when(code, (value) => [text('@', withStart('protonmail-verification=', value))]),
      mx(10, 'mail.protonmail.ch'),
      mx(20, 'mailsec.protonmail.ch'),
      spf('_spf.protonmail.ch', '~all'),
      ...when(protonKey, (end) =>
        ['', '2', '3'].map((n) => alias(`protonmail${n}._domainkey`, `protonmail${n}.domainkey.${end}`)),
      ),
    ],
  },
  {
    id: 'icloud',
    title: 'iCloud Mail',
    kind: 'mail',
    inputs: [{ ...CODE, placeholder: 'apple-domain=…' }],
    records: ({ code }, domain) => [
      ...when(code, (value) => [text('@', withStart('apple-domain=', value))]),
      mx(10, 'mx01.mail.icloud.com'),
      mx(10, 'mx02.mail.icloud.com'),
      spf('icloud.com', '~all'),
      alias('sig1._domainkey', `sig1.dkim.${domain}.at.icloudmailadmin.com`),
    ],
  },
  ...[
    { id: 'zoho', title: 'Zoho Mail', end: 'com' },
    { id: 'zohoEurope', title: 'Zoho Mail (Europe)', end: 'eu' },
  ].map(
    ({ id, title, end }): Preset => ({
      id,
      title,
      kind: 'mail',
      inputs: [{ ...CODE, placeholder: 'zoho-verification=…' }, DKIM],
      records: ({ code, dkim }) => [
        ...when(code, (value) => [text('@', withStart('zoho-verification=', value))]),
        mx(10, `mx.zoho.${end}`),
        mx(20, `mx2.zoho.${end}`),
        mx(50, `mx3.zoho.${end}`),
        spf(`zohomail.${end}`, '~all'),
        ...when(dkim, (value) => [text('zmail._domainkey', value)]),
      ],
    }),
  ),
];

/** Services that prove the ownership of a domain by a text at its apex. */
const VERIFICATIONS = [
  { id: 'googleSite', title: 'Google Search Console', start: 'google-site-verification=' },
  { id: 'microsoftSite', title: 'Microsoft 365', start: 'MS=' },
  { id: 'appleSite', title: 'Apple', start: 'apple-domain-verification=' },
  { id: 'metaSite', title: 'Meta', start: 'facebook-domain-verification=' },
  { id: 'atlassianSite', title: 'Atlassian', start: 'atlassian-domain-verification=' },
  { id: 'stripeSite', title: 'Stripe', start: 'stripe-verification=' },
  { id: 'openaiSite', title: 'OpenAI', start: 'openai-domain-verification=' },
];

export const PRESETS: readonly Preset[] = [
  ...MAIL,
  ...VERIFICATIONS.map(
    ({ id, title, start }): Preset => ({
      id,
      title,
      kind: 'verification',
      inputs: [{ key: 'code', placeholder: `${start}…` }],
      records: ({ code }) => when(code, (value) => [text('@', withStart(start, value))]),
    }),
  ),
];

interface Applied {
  /** With the changes of present records. */
  readonly edits: Edits;
  /** The records to add. */
  readonly added: readonly Fields[];
  /** Present mail servers that the edits delete. */
  readonly deleted: readonly StoredRecord[];
  /** Whether the present SPF record also gets the provider. */
  readonly mergesSpf: boolean;
}

const SPF = /^v=spf1(?:\s|$)/i;
const INCLUDE = /include:\S+/i;

const sameContent = (a: string, b: string): boolean =>
  a.trim().replace(/\.$/, '').toLowerCase() === b.trim().replace(/\.$/, '').toLowerCase();
const isSame = (a: Fields, b: Fields): boolean =>
  (a.name || '@') === (b.name || '@') && a.type === b.type && sameContent(a.content, b.content);

/**
 * Adds the records of a preset to the edits: without those that are there, with one SPF record for
 * all senders (RFC 7208 section 4.5), and instead of the mail servers of another provider.
 */
export function applyPreset(edits: Edits, stored: readonly StoredRecord[], wanted: readonly Fields[]): Applied {
  const missing = wanted.filter((fields) => !stored.some((record) => isSame(record, fields)));
  const isMail = wanted.some(({ type }) => type === 'MX');
  const deleted = stored.filter(
    (record) =>
      isMail && record.type === 'MX' && record.name === '@' && !wanted.some((fields) => isSame(record, fields)),
  );
  const withoutOld = deleted.reduce(deleteRecord, edits);
  const presentSpf = stored.find(isSpf);
  const wantedSpf = missing.find(isSpf);
  if (presentSpf === undefined || wantedSpf === undefined)
    return { edits: withoutOld, added: missing, deleted, mergesSpf: false };
  const before = readText(presentSpf.content) ?? '';
  const include = INCLUDE.exec(readText(wantedSpf.content) ?? '')?.[0] ?? '';
  const mergesSpf = !before.split(/\s+/).includes(include);
  const content = quoteText(before.replace(SPF, (start) => `${start.trim()} ${include} `).trim());
  return {
    edits: mergesSpf ? changeRecord(withoutOld, presentSpf, { ...presentSpf, content }) : withoutOld,
    added: missing.filter((fields) => fields !== wantedSpf),
    deleted,
    mergesSpf,
  };
}

function isSpf({ name, type, content }: Fields): boolean {
  return (name || '@') === '@' && type === 'TXT' && SPF.test(readText(content) ?? '');
}
