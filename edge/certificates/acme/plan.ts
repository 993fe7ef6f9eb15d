/**
 * Plans the names of a domain's certificates, and the validation method of each; or why none is
 * possible.
 */
import { formatCaa, type Issuer, type Method, mayIssue, relevantCaa } from './caa.ts';
import { OrderFailure } from './problem.ts';
import type { PublicDns } from './public-dns.ts';
import { MAX_REFUSED } from './refused.ts';
import { MAX_ALL_NAMES } from './slots.ts';
import type { OwnZoneFacts } from './zone-facts.ts';

/** Maximum planned names: those of all certificates, and more that are then refused. */
const MAX_PLANNED = MAX_ALL_NAMES + MAX_REFUSED;

export interface Plan {
  /** The validation method of each name; a wildcard starts with `*.`. The apex is first. */
  readonly names: ReadonlyMap<string, Method>;
  /** Proxied names that cannot be ordered, and why: the problem and the next step. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Rejects with OrderFailure when the zone is not delegated to us. Other nameservers may be among
 * ours: secondaries have the same records. Also rejects when the query fails. Resolves with the
 * host names of all its nameservers, ours included.
 */
export async function checkDelegation(
  { apex, nameservers }: OwnZoneFacts,
  dns: PublicDns,
  service: readonly string[],
): Promise<readonly string[]> {
  let found: readonly string[];
  try {
    found = await dns.nameservers(apex);
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    throw new OrderFailure(
      'delegation_unknown',
      `The nameservers of ${apex} could not be looked up (${code}). Check at your registrar that it is delegated to ${list(service)}.`,
      { cause: error },
    );
  }
  if (found.some((host) => nameservers.includes(host))) return [...new Set([...found, ...nameservers])];
  const action = `At your registrar, set its nameservers to ${list(service)}; the certificate is then ordered automatically.`;
  const state =
    found.length === 0
      ? `${apex} is not delegated in the public DNS: it is not registered, or has no nameservers yet.`
      : `${apex} is not delegated to this service: its nameservers are ${list(found)}.`;
  throw new OrderFailure('not_delegated', `${state} ${action}`);
}

/**
 * The apex and its wildcard, and all proxied names that the wildcard does not cover. Several names
 * with the same parent are covered by a wildcard. Without identities of the issuer, CAA is not
 * checked. Rejects with OrderFailure `caa` and `no_names`, or with the reason of the signal.
 */
export async function planOrder(
  facts: OwnZoneFacts,
  dns: PublicDns,
  issuer: Issuer,
  signal: AbortSignal,
): Promise<Plan> {
  const { apex } = facts;
  // A failed query counts as no records, because the authority checks CAA itself.
  const ask = (name: string) => (name === apex ? Promise.resolve(facts.caaAt(apex)) : dns.caa(name).catch(() => []));
  const above = issuer.identities.length === 0 ? NO_CAA : await relevantCaa(apex, ask);
  const methods = new NameMethods(facts, issuer, above);
  const names = new Map<string, Method>();
  const refused = new Map<string, string>();
  const add = (name: string): void => {
    const method = methods.of(name);
    if (typeof method === 'string') names.set(name, method);
    else refused.set(name, method.why);
  };
  if (methods.of(apex) === 'dns-01') add(apex);
  /** Parents whose wildcard covers their names. */
  const wildcards = new Set<string>();
  if (methods.mayWildcard(apex)) wildcards.add(apex);
  const hosts = new Map<string, string[]>();
  /** Names so far, without those that a wildcard replaces. */
  let count = 0;
  await facts.scanHosts(
    {
      isWanted: (host) => (host === apex ? !names.has(apex) : count < MAX_PLANNED && !wildcards.has(parentOf(host))),
      visit(host) {
        count++;
        if (host === apex) {
          add(apex);
          return;
        }
        const parent = parentOf(host);
        const siblings = hosts.get(parent) ?? [];
        siblings.push(host);
        hosts.set(parent, siblings);
        if ((siblings.length === 1 && !host.startsWith('*.')) || !methods.mayWildcard(parent)) return;
        wildcards.add(parent);
        count -= siblings.length - 1;
      },
    },
    signal,
  );
  for (const parent of wildcards) add(`*.${parent}`);
  for (const [parent, siblings] of hosts) if (!wildcards.has(parent)) for (const host of siblings) add(host);
  if (names.size > 0) return { names, refused };
  if (methods.isForbidden)
    throw new OrderFailure('caa', `${methods.forbids} certificates: ${methods.fix(apex, 'issue')}.`);
  const why = facts.closedBy(apex) ?? methods.forbids;
  throw new OrderFailure('no_names', `No certificate can be ordered: ${why}, and no name of the domain is proxied.`);
}

interface AtName {
  readonly name: string;
  readonly records: ReturnType<OwnZoneFacts['caaAt']>;
}

const NO_CAA: AtName = { name: '', records: [] };

/** Decides how names are validated. */
class NameMethods {
  readonly #known = new Map<string, Method | { readonly why: string }>();

  constructor(
    private readonly facts: OwnZoneFacts,
    private readonly issuer: Issuer,
    /** The CAA records that hold for the apex. */
    private readonly above: AtName,
  ) {}

  /** The method, or why the name cannot be ordered. */
  of(name: string): Method | { readonly why: string } {
    let method = this.#known.get(name);
    if (method === undefined) {
      method = this.#find(name);
      this.#known.set(name, method);
    }
    return method;
  }

  mayWildcard(parent: string): boolean {
    return this.of(`*.${parent}`) === 'dns-01';
  }

  /** Whether CAA forbids all certificates of the apex. */
  get isForbidden(): boolean {
    const { records } = this.above;
    return !mayIssue(records, this.issuer, 'dns-01', false) && !mayIssue(records, this.issuer, 'http-01', false);
  }

  get forbids(): string {
    return this.#forbids(this.above);
  }

  fix(name: string, tag: string): string {
    const contents = this.#issuers.map((identity) => `0 ${tag} "${identity}"`);
    return contents.length === 1
      ? `add a CAA record to ${name} with the content ${contents[0]}`
      : `add CAA records to ${name} with the contents ${list(contents)}`;
  }

  #forbids({ name, records }: AtName): string {
    const listed = records.slice(0, 3).map(formatCaa).join(', ');
    return `The CAA record at ${name} (${listed}) does not allow ${this.issuer.identities[0]} to issue`;
  }

  /** The authority, and those that are used if it fails. */
  get #issuers(): readonly string[] {
    const { identities, others } = this.issuer;
    return [...new Set([identities[0], ...others])];
  }

  #find(name: string): Method | { readonly why: string } {
    const isWildcard = name.startsWith('*.');
    const base = isWildcard ? name.slice(2) : name;
    // Baseline Requirements of the CA/Browser Forum, section 3.2.2.4: names are LDH labels.
    if (base.includes('_'))
      return { why: 'Authorities issue no certificates for names with an underscore. Rename it.' };
    const caa = this.#caaOf(base);
    const allows = (method: Method): boolean => mayIssue(caa.records, this.issuer, method, isWildcard);
    const closed = this.facts.closedBy(base);
    if (closed === null && allows('dns-01')) return 'dns-01';
    if (!isWildcard && allows('http-01')) return 'http-01';
    const tag = isWildcard && caa.records.some((record) => record.tag === 'issuewild') ? 'issuewild' : 'issue';
    if (!allows('dns-01'))
      return { why: `${this.#forbids(caa)} for ${name}. To allow it, ${this.fix(caa.name, tag)}.` };
    return { why: `It cannot be validated, since ${closed}.` };
  }

  /** The closest RRset at the name or above it (RFC 8659 section 3). */
  #caaOf(name: string): AtName {
    const { apex } = this.facts;
    if (this.issuer.identities.length === 0) return NO_CAA;
    for (let at = name; at.length > apex.length; at = parentOf(at)) {
      const records = this.facts.caaAt(at);
      if (records.length > 0) return { name: at, records };
    }
    return this.above;
  }
}

const parentOf = (host: string): string => host.slice(host.indexOf('.') + 1);

const SHOWN = 5;

function list(names: readonly string[]): string {
  if (names.length > SHOWN) return `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
