/**
 * Runs the rules of a domain for an exchange, before the cache and the origin. The changes of rules
 * become part of the site that serves the exchange. Sites with changes are reused, so requests do
 * not allocate them.
 */

import { clientNetwork } from '../../../core/net/address/ipv6.ts';
import {
  type AuthenticateAction,
  type BasicAuthAction,
  type CompiledRule,
  distinguishesVisitors,
  firstCookie,
  firstHeader,
  type LimitAction,
  type OidcRule,
  RequestFacts,
  type RespondAction,
  safeLocation,
  type TemplateVisitor,
  TextTemplate,
} from '../../../core/site/rules/index.ts';
import { siteHost } from '../../http/exchange/authority.ts';
import type { Exchange, VisitedSite } from '../../http/exchange/exchange.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { type Fetch, requestId } from '../../origin/origin.ts';
import type { ErrorPage } from '../../sites/error-page.ts';
import type { Site } from '../../sites/site.ts';
import type { SiteRules } from '../../sites/site-rules.ts';
import { Authentication, type LoginTools } from '../authentication/authentication.ts';
import { type Decider, deciderOf } from '../authentication/decider.ts';
import { OpenId, type Visit } from '../authentication/openid.ts';
import type { Admission, Verdict } from '../authentication/verdict.ts';
import type { Countries } from './countries.ts';
import type { RuleCounting } from './counts.ts';
import { Credentials } from './credentials.ts';
import type { RateScope, RateTable } from './rate-table.ts';

const BUSY: ErrorPage = {
  status: 503,
  code: 'rule_busy',
  title: 'This server is busy',
  visitor: 'Too many visitors sign in at the moment. Please try again in a few seconds.',
  owner: 'Passwords are verified slowly on purpose, and too many verifications are waiting.',
  headers: ['retry-after', '5'],
};

type Done = void | Promise<void>;

/** Shared by all rules of a thread. */
export interface RuleTools {
  readonly countries: Countries;
  readonly rates: RateTable;
  readonly counting: RuleCounting;
  readonly logins: LoginTools;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Callbacks of the proxy for the outcomes of rules. */
interface RuleOutlets {
  /** The visitor's address, even behind a trusted proxy. */
  addressOf(exchange: Exchange): string;
  schemeOf(exchange: Exchange): 'http' | 'https';
  /** Scheme and authority, the latter without a default port. */
  visitedSiteOf(exchange: Exchange): VisitedSite;
  /** The visitor's verified certificate (RFC 9440); empty: there is none. */
  certificateOf(exchange: Exchange): string;
  /** Serves the exchange. `site` includes the changes of the rules. */
  serve(exchange: Exchange, site: Site): Done;
  /** Like `serve`, but bypasses the cache. */
  serveUncached(exchange: Exchange, site: Site): Done;
  refuse(exchange: Exchange, site: Site, page: ErrorPage): void;
  /** Sends a response of a rule. */
  respond(exchange: Exchange, site: Site, status: number, fields: FieldList, body: Uint8Array): void;
  /**
   * Whether the visitor has passed the challenge. False: the exchange has been answered. Omitted:
   * all visitors pass.
   */
  challenge?(exchange: Exchange, site: Site): boolean | Promise<boolean>;
  /** Asks a server whether the request may pass. Null: it may not, and has been answered. */
  decide(exchange: Exchange, site: Site, decider: Decider): Promise<Admission | null>;
}

/** How to prefetch a URL. */
export interface PrefetchPlan {
  /** Includes the changes of the rules. */
  readonly site: Site;
  /** Whether a rule requires credentials, which the edge also forwards to the origin. */
  readonly hasCredentials: boolean;
}

const DEFAULT_RETRY_AFTER = 300;
const EMPTY_BODY = new Uint8Array(0);

export class RuleRunner {
  readonly #facts: RequestFacts;
  readonly #credentials = new Credentials();
  readonly #clock: () => number;
  readonly #templates = new WeakMap<CompiledRule, TextTemplate>();
  /** Bodies of fixed responses. */
  readonly #bodies = new WeakMap<CompiledRule, Uint8Array>();
  readonly #rates = new WeakMap<CompiledRule, LimitRule>();
  readonly #authentication: Authentication;
  readonly #deciders = new WeakMap<CompiledRule, Decider>();

  constructor(
    private readonly tools: RuleTools,
    private readonly outlets: RuleOutlets,
    fetch: Fetch,
  ) {
    this.#facts = new RequestFacts((address) => tools.countries.of(address));
    this.#clock = tools.clock ?? Date.now;
    this.#authentication = new Authentication(fetch, tools.logins, this.#clock);
  }

  serve(exchange: Exchange, site: Site, rules: SiteRules): Done {
    return this.#run(exchange, site, rules, 0, rules.set.noChanges);
  }

  /**
   * Runs the rules for a prefetch. Limits, challenges and rules that distinguish visitors do not
   * stop it. Null: a rule answers all such requests itself, or bypasses the cache.
   */
  planPrefetch(exchange: Exchange, site: Site, rules: SiteRules): PrefetchPlan | null {
    const { set } = rules;
    return set.uncounted(() => {
      const facts = this.#facts;
      facts.open(exchange, siteHost(exchange.authority), this.outlets.addressOf(exchange));
      let hasCredentials = false;
      let index = set.run(facts);
      for (; index >= 0; index = set.run(facts, index + 1, set.changes)) {
        const rule = set.rules[index];
        const { type } = rule.action;
        if (type === 'allow') break;
        if (type === 'basic_auth') hasCredentials = true;
        else if (type !== 'limit' && type !== 'challenge' && !distinguishesVisitors(rule)) return null;
      }
      if (set.changes.bypassesCache) return null;
      return { site: this.#changedSite(exchange, site, rules), hasCredentials };
    });
  }

  #run(exchange: Exchange, site: Site, rules: SiteRules, from: number, before: SiteRules['set']['changes']): Done {
    const { set } = rules;
    const facts = this.#facts;
    facts.open(exchange, siteHost(exchange.authority), this.outlets.addressOf(exchange));
    let index = set.run(facts, from, before);
    if (set.hasCounted) this.tools.counting.note(rules);
    while (index >= 0) {
      const rule = set.rules[index];
      const { action } = rule;
      if (action.type === 'basic_auth') return this.#authenticate(exchange, site, rules, index, action);
      if (action.type === 'authenticate' && !(action.oidc !== undefined && OpenId.owns(exchange.path)))
        return this.#admit(exchange, site, rules, index, action);
      if (action.type === 'challenge') return this.#challenge(exchange, site, rules, index);
      if (action.type !== 'limit') {
        if (action.type === 'allow' || action.type === 'authenticate') break;
        set.stopped[rule.number]++;
        return this.#answer(exchange, site, rule);
      }
      const wait = this.#count(exchange, rules, rule, action);
      if (wait > 0) {
        set.stopped[rule.number]++;
        if (!rule.isDryRun) return this.outlets.refuse(exchange, site, limitedPage(rule, Math.ceil(wait / 1000)));
      }
      index = set.run(facts, index + 1, set.changes);
    }
    return this.#pass(exchange, site, rules);
  }

  #pass(exchange: Exchange, site: Site, rules: SiteRules): Done {
    const { logins, changes } = rules.set;
    if (logins !== null && OpenId.owns(exchange.path)) return this.#serveLogin(exchange, site, logins);
    if (changes.isNone && site.cookies === undefined) return this.outlets.serve(exchange, site);
    const changed = this.#changedSite(exchange, site, rules);
    return changes.bypassesCache || site.cookies !== undefined
      ? this.outlets.serveUncached(exchange, changed)
      : this.outlets.serve(exchange, changed);
  }

  /** The site with the changes of the last run, whose facts are still those of the exchange. */
  #changedSite(exchange: Exchange, site: Site, rules: SiteRules): Site {
    const { changes } = rules.set;
    if (changes.isNone) return site;
    if (!changes.hasPlaceholders) return rules.siteWith(site, changes);
    const scheme = this.outlets.schemeOf(exchange);
    const { host, target } = this.#facts;
    const visitor = new PlaceholderVisitor(exchange, this.#facts);
    return rules.siteWith(site, changes.resolve({ scheme, host, target, visitor }));
  }

  #answer(exchange: Exchange, site: Site, rule: CompiledRule): void {
    const { action } = rule;
    if (action.type === 'redirect') this.#redirect(exchange, site, rule, action.location, action.status ?? 302);
    else if (action.type === 'respond') this.#respond(exchange, site, rule, action);
    else this.outlets.refuse(exchange, site, pageOf(rule));
  }

  #redirect(exchange: Exchange, site: Site, rule: CompiledRule, text: string, status: number): void {
    let template = this.#templates.get(rule);
    if (template === undefined) {
      template = new TextTemplate(text, rule.rule.match?.path);
      this.#templates.set(rule, template);
    }
    const target = exchange.path.startsWith('/') ? exchange.path : '/';
    const host = siteHost(exchange.authority);
    const location = safeLocation(template.expand({ scheme: this.outlets.schemeOf(exchange), host, target }));
    this.outlets.respond(exchange, site, status, ['location', location, 'server', 'waypost'], EMPTY_BODY);
  }

  #respond(exchange: Exchange, site: Site, rule: CompiledRule, { status, content_type, body }: RespondAction): void {
    let bytes = this.#bodies.get(rule);
    if (bytes === undefined) {
      bytes = Buffer.from(body);
      this.#bodies.set(rule, bytes);
    }
    const type = content_type ?? 'text/plain; charset=utf-8';
    const fields = ['content-type', type, 'server', 'waypost'];
    this.outlets.respond(exchange, site, status ?? 200, fields, bytes);
  }

  /** Counts the request. Returns milliseconds to wait; 0: it is within the limit. */
  #count(exchange: Exchange, { domainId }: SiteRules, rule: CompiledRule, action: LimitAction): number {
    let limit = this.#rates.get(rule);
    if (limit === undefined) {
      limit = new LimitRule(`${domainId} ${rule.number}`, action, this.tools.rates);
      this.#rates.set(rule, limit);
    }
    const key = limit.keyOf(exchange.headers, this.#facts.address);
    return this.tools.rates.count(limit.scope, key, this.#clock());
  }

  #authenticate(exchange: Exchange, site: Site, rules: SiteRules, index: number, action: BasicAuthAction): Done {
    const { changes } = rules.set;
    const verdict = this.#credentials.check(firstHeader(exchange.headers, 'authorization'), action.users, () => ({
      account: site.domainId,
      network: clientNetwork(this.outlets.addressOf(exchange)),
    }));
    const proceed = (result: Awaited<typeof verdict>): Done => {
      if (result === 'accepted') return this.#run(exchange, site, rules, index + 1, changes);
      const rule = rules.set.rules[index];
      rules.set.stopped[rule.number]++;
      this.tools.counting.note(rules);
      this.outlets.refuse(exchange, site, result === 'busy' ? BUSY : unauthorizedPage(rule, action.realm ?? 'Private'));
    };
    return typeof verdict === 'string' ? proceed(verdict) : verdict.then(proceed);
  }

  async #admit(
    exchange: Exchange,
    site: Site,
    rules: SiteRules,
    index: number,
    action: AuthenticateAction,
  ): Promise<void> {
    const { set } = rules;
    const { changes } = set;
    const rule = set.rules[index];
    const admission =
      action.forward === undefined
        ? this.#settle(exchange, site, await this.#authentication.admit(this.#visit(exchange, site), action))
        : await this.#decide(exchange, changes.isNone ? site : rules.siteWith(site, changes), rule, action);
    if (admission === null) {
      set.stopped[rule.number]++;
      this.tools.counting.note(rules);
      return;
    }
    const { identity, cookies } = admission;
    const admitted = cookies.length === 0 ? site : withCookies(site, cookies);
    await this.#run(exchange, admitted, rules, index + 1, rules.identified(changes, identity));
  }

  #decide(exchange: Exchange, site: Site, rule: CompiledRule, action: AuthenticateAction): Promise<Admission | null> {
    let decider = this.#deciders.get(rule);
    if (decider === undefined) {
      decider = deciderOf(action);
      this.#deciders.set(rule, decider);
    }
    return this.outlets.decide(exchange, site, decider);
  }

  /** The callback and the logout of visitors who sign in. */
  async #serveLogin(exchange: Exchange, site: Site, logins: readonly OidcRule[]): Promise<void> {
    this.#settle(exchange, site, await this.#authentication.serveLogin(this.#visit(exchange, site), logins));
  }

  #visit(exchange: Exchange, { domainId }: Site): Visit {
    const { visitedSiteOf, certificateOf } = this.outlets;
    return { exchange, visited: visitedSiteOf(exchange), certificate: certificateOf(exchange), site: domainId };
  }

  /** Null: the request does not pass, and has been answered. */
  #settle(exchange: Exchange, site: Site, verdict: Verdict): Admission | null {
    if ('identity' in verdict) return verdict;
    if ('page' in verdict) this.outlets.refuse(exchange, site, verdict.page);
    else this.outlets.respond(exchange, site, verdict.status, verdict.fields, Buffer.from(verdict.body ?? ''));
    return null;
  }

  #challenge(exchange: Exchange, site: Site, rules: SiteRules, index: number): Done {
    const { changes } = rules.set;
    const { challenge } = this.outlets;
    const hasPassed = challenge === undefined ? true : challenge(exchange, site);
    const proceed = (passes: boolean): Done => {
      if (passes) return this.#run(exchange, site, rules, index + 1, changes);
      rules.set.stopped[rules.set.rules[index].number]++;
      this.tools.counting.note(rules);
    };
    return typeof hasPassed === 'boolean' ? proceed(hasPassed) : hasPassed.then(proceed);
  }
}

/** The visitor of an exchange for placeholders. `facts`: opened for the exchange. */
class PlaceholderVisitor implements TemplateVisitor {
  readonly #client: Exchange['client'];
  readonly #facts: RequestFacts;
  #requestId = '';

  constructor({ client }: Exchange, facts: RequestFacts) {
    this.#client = client;
    this.#facts = facts;
  }

  get address(): string {
    return this.#facts.address;
  }

  /** A trusted proxy states the address without a port. */
  get port(): string {
    return this.#facts.address === this.#client.address ? String(this.#client.port) : '';
  }

  get country(): string {
    return this.#facts.country;
  }

  get requestId(): string {
    if (this.#requestId === '') this.#requestId = requestId();
    return this.#requestId;
  }

  get tlsVersion(): string {
    return this.#client.tlsVersion ?? '';
  }
}

function pageOf(rule: CompiledRule): ErrorPage {
  const { action } = rule;
  switch (action.type) {
    case 'deny':
      return deniedPage(rule, action.status ?? 403);
    case 'maintenance':
      return maintenancePage(rule, action.message, action.retry_after ?? DEFAULT_RETRY_AFTER);
    case 'error_page':
      return errorPage(rule, action.status, action.message);
    default:
      throw new TypeError(`The action ${action.type} has no page.`);
  }
}

/** Adds to the cookies of an earlier rule. */
const withCookies = (site: Site, cookies: readonly string[]): Site => ({
  ...site,
  cookies: [...(site.cookies ?? []), ...cookies],
});

/** A rate limit with the source of its keys. */
class LimitRule {
  readonly scope: RateScope;
  readonly #by: string;
  readonly #name: string;

  constructor(name: string, { requests, period, burst = requests, by = 'address' }: LimitAction, rates: RateTable) {
    this.scope = rates.scopeOf(`${name} ${by}`, { interval: (period * 1000) / requests, burst });
    const colon = by.indexOf(':');
    this.#by = colon < 0 ? by : by.slice(0, colon);
    this.#name = colon < 0 ? '' : by.slice(colon + 1);
  }

  /** Requests without the header or cookie are counted by address. */
  keyOf(headers: FieldList, address: string): string {
    switch (this.#by) {
      case 'network':
        return networkOf(address);
      case 'header':
        return firstHeader(headers, this.#name.toLowerCase()) || address;
      case 'cookie':
        return firstCookie(headers, this.#name) || address;
      default:
        return address;
    }
  }
}

/** The /24 of an IPv4 address, the /64 of an IPv6 address. */
const networkOf = (address: string): string =>
  address.includes(':') ? clientNetwork(address) : address.slice(0, address.lastIndexOf('.'));

const describe = ({ number }: CompiledRule): string => `Rule ${number + 1} of this domain`;

/** The error pages of rules. */
const deniedPage = (rule: CompiledRule, status: number): ErrorPage => ({
  status,
  code: 'rule_denied',
  title: 'This request is not allowed',
  visitor: 'The owner of this site does not allow this request.',
  owner: `${describe(rule)} denies it.`,
});

const limitedPage = (rule: CompiledRule, seconds: number): ErrorPage => ({
  status: 429,
  code: 'rule_limited',
  title: 'Too many requests',
  visitor: `Too many requests were sent in a short time. Please try again in ${seconds} s.`,
  owner: `${describe(rule)} limits the rate.`,
  headers: ['retry-after', String(seconds)],
});

/** RFC 9110 section 11.6.1, RFC 7617 section 2.1. */
const unauthorizedPage = (rule: CompiledRule, realm: string): ErrorPage => ({
  status: 401,
  code: 'rule_unauthorized',
  title: 'A password is needed',
  visitor: 'This site asks for a user name and a password.',
  owner: `${describe(rule)} asks for them.`,
  headers: ['www-authenticate', `Basic realm="${realm}", charset="UTF-8"`],
});

const maintenancePage = (rule: CompiledRule, message: string | undefined, retryAfter: number): ErrorPage => ({
  status: 503,
  code: 'maintenance',
  title: 'This site is being maintained',
  visitor: message ?? 'The site will be back soon.',
  owner: `${describe(rule)} switches to maintenance.`,
  headers: ['retry-after', String(retryAfter)],
});

const errorPage = (rule: CompiledRule, status: number, message: string | undefined): ErrorPage => ({
  status,
  code: 'rule_error_page',
  title: status >= 500 ? 'This page is not available' : 'This page cannot be shown',
  visitor: message ?? 'The owner of this site has decided to show no page here.',
  owner: `${describe(rule)} answers with this page.`,
});
