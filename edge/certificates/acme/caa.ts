/**
 * Whether CAA records let an authority issue (RFC 8659), with the parameters of RFC 8657. Pure but
 * for the questions.
 */

export interface CaaRecord {
  /** The issuer critical flag (RFC 8659 4.1). */
  readonly critical: boolean;
  /** In lower case. */
  readonly tag: string;
  readonly value: string;
}

export interface Issuer {
  /** Issuer domain names by which the authority knows itself, in lower case; one is enough. */
  readonly identities: readonly string[];
  /** Null: not known yet. */
  readonly accountUri: string | null;
}

export type Method = 'dns-01' | 'http-01';

interface RelevantCaa {
  /** Where it stands, without the last dot. */
  readonly name: string;
  /** None: every authority may issue. */
  readonly records: readonly CaaRecord[];
}

/**
 * Properties that an issuer of certificates for servers understands, or may pass over (the registry
 * of RFC 8659 section 9).
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
 * The closest RRset at the name or above it (RFC 8659 section 3). `name`: of a wildcard what
 * follows `*.`.
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
  // Of issuewild there need be none (4.3); without either nothing is restricted (4.2).
  const properties = wildcard && wild.length > 0 ? wild : issue;
  return properties.length === 0 || properties.some(({ value }) => grants(value, issuer, method));
}

/**
 * Issuer domain name, then parameters `tag=value`, each after a semicolon (4.2). What breaks the
 * grammar grants nothing.
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

/** As in a master file, for messages. */
export const formatCaa = ({ critical, tag, value }: CaaRecord): string =>
  `${critical ? 128 : 0} ${tag} "${value.slice(0, 100)}"`;
