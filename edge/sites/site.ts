/** A proxied host name, as a thread of the edge sees it. */

import type { Changes } from '../../core/site/rules/index.ts';
import type { Heuristics } from '../../core/store/rows.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { Origin } from '../origin/origin-address.ts';
import type { SiteDocuments } from './site-documents.ts';

export interface Site {
  /** As text: the cache puts it in front of URLs. */
  readonly domainId: string;
  /** The domain, without the last dot, in lower case. */
  readonly domain: string;
  readonly origin: Origin;
  /** Whether the host has a certificate, so that http:// requests are redirected to https://. */
  readonly hasCertificate: boolean;
  /** The value of Strict-Transport-Security (RFC 6797); empty: the field is not sent. */
  readonly hsts: string;
  /** Which responses get a heuristic lifetime. Omitted: static. */
  readonly heuristics?: Heuristics;
  /** Whether requests to the origin have Forwarded (RFC 7239). Omitted: true. */
  readonly sendsForwarded?: boolean;
  /** Whether LF alone may end a line of the origin's response heads. Omitted: false. */
  readonly isLenient?: boolean;
  /** Null: the customer has set none. */
  readonly documents: SiteDocuments | null;
  /** Changes that rules make to the request (SiteRules.siteWith). Omitted: none. */
  readonly changes?: Changes;
  /** Values of Set-Cookie for the visitor of this request, which is not served from the cache. */
  readonly cookies?: readonly string[];
}

/** Finds the site of a host name. Undefined: there is none. */
export type SiteLookup = (host: string) => Site | undefined;

/** Answers an exchange for a site. */
export type ServeSite = (exchange: Exchange, site: Site) => void | Promise<void>;
