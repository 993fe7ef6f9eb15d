/**
 * Whether CAA records allow an authority to issue (RFC 8659), with the parameters of RFC 8657. Pure
 * except for the queries.
 */

export interface CaaRecord {
  /** The issuer critical flag (RFC 8659 4.1). */
  readonly critical: boolean;
  /** In lower case. */
  readonly tag: string;
  readonly value: string;
}

export interface Issuer {
  /** Issuer domain names of the authority, in lower case. A CAA record needs to match only one. */
  readonly identities: readonly string[];
  /** Of each other authority that may be used, one name, for messages. */
  readonly others: readonly string[];
  /** Null: not known yet. */
  readonly accountUri: string | null;
}

export type Method = 'dns-01' | 'http-01';

interface RelevantCaa {
  /** Owner name of the records, without the last dot. */
  readonly name: string;
  /** None: every authority may issue. */
  readonly records: readonly CaaRecord[];
}

/**
 * Properties that an issuer of server certificates understands or may ignore (the registry of RFC
 * 8659 section 9).
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  'issue',
  'issuewild',
  'iodef',
  'contactemail',
  'contactphone',
  'issuemail',
  'issuevmc',
]);

/**
 * The closest RRset at the name or above it (RFC 8659 section 3). `name`: for a wildcard, without
 * its `*.`.
 */
export async function relevantCaa(
  name: string,
  ask: (name: string) => Promise<readonly CaaRecord[]>,
): Promise<RelevantCaa> {
  for (let at = name; at !== ''; at = at.includes('.') ? at.slice(at.indexOf('.') + 1) : '') {
    const records = await ask(at);
    if (records.length > 0) return { name: at, records };
  }
  return { name, records: [] };
}

export function mayIssue(records: readonly CaaRecord[], issuer: Issuer, method: Method, wildcard: boolean): boolean {
  if (records.some(({ critical, tag }) => critical && !UNDERSTOOD.has(tag))) return false;
  const issue = records.filter(({ tag }) => tag === 'issue');
  const wild = records.filter(({ tag }) => tag === 'issuewild');
  // Without issuewild, issue applies to wildcards too (4.3). Without either, issuance is
  // unrestricted (4.2).
  const properties = wildcard && wild.length > 0 ? wild : issue;
  return properties.length === 0 || properties.some(({ value }) => grants(value, issuer, method));
}

/**
 * Issuer domain name, then parameters `tag=value`, each after a semicolon (4.2). An invalid value
 * grants nothing.
 */
function grants(value: string, { identities, accountUri }: Issuer, method: Method): boolean {
  const [domain, ...parameters] = value.split(';').map((part) => part.trim());
  if (!identities.includes(domain.toLowerCase().replace(/\.$/, ''))) return false;
  return parameters.every((parameter) => parameter === '' || allows(parameter, accountUri, method));
}

function allows(parameter: string, accountUri: string | null, method: Method): boolean {
  const [, tag, value] = /^([a-z0-9-]+)\s*=\s*([\x21-\x3a\x3c-\x7e]*)$/i.exec(parameter) ?? [];
  switch (tag?.toLowerCase()) {
    case undefined:
      return false;
    // RFC 8657 section 3: the account's URL.
    case 'accounturi':
      return accountUri === null || value === accountUri;
    // Section 4: a list.
    case 'validationmethods':
      return value.toLowerCase().split(',').includes(method);
    default:
      return true;
  }
}

/** The master file format, for messages. */
export const formatCaa = ({ critical, tag, value }: CaaRecord): string =>
  `${critical ? 128 : 0} ${tag} "${value.slice(0, 100)}"`;
