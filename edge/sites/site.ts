/** A site: a host name whose traffic comes through the edge, as a thread of the edge knows it. */
import type { Changes } from '../../core/site/rules/index.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { Origin } from '../origin/origin-address.ts';
import type { SiteDocuments } from './site-documents.ts';

export interface Site {
  /** As text, which the cache has in front of URLs. */
  readonly domainId: string;
  /** The domain, without the last dot, in lower case. */
  readonly domain: string;
  readonly origin: Origin;
  /** Whether visitors of http:// are sent to https://: a certificate for the host is there. */
  readonly hasCertificate: boolean;
  /** The value of Strict-Transport-Security (RFC 6797); empty: the field is not sent. */
  readonly hsts: string;
  /**
   * Whether a lifetime is guessed (RFC 9111 section 4.2.2) also where that is often wrong: with
   * cookies, credentials, queries, Pragma, Vary: Cookie.
   */
  readonly heuristicFreshness?: boolean;
  /** Null: the customer has set none. */
  readonly documents: SiteDocuments | null;
  /** What rules change for the request (SiteRules.siteWith). Omitted: nothing. */
  readonly changes?: Changes;
}

/** What a host name leads to. */
export type SiteLookup = (host: string) => Site | undefined;

/** Answers an exchange for a site. */
export type ServeSite = (exchange: Exchange, site: Site) => void | Promise<void>;
