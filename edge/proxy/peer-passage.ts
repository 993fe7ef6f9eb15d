/**
 * Serves the request of another node to this node as the owner of a cache key. The other node has
 * already built the fields for the origin. The response carries the stored fields, which the other
 * node handles like those of an origin.
 */
import { Changes } from '../../core/site/rules/index.ts';
import { NO_UPLOAD_TERMS } from '../../core/site/uploads.ts';
import { withoutFields } from '../cache/rules/fields.ts';
import type { StoredResponse } from '../cache/stored-response.ts';
import type { Done, ResponseHandler } from '../cache/visit.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import { WORKING } from '../peers/cache-peers.ts';
import { PEER_FIELD, type PeerCall } from '../peers/peer-call.ts';
import type { ErrorPage } from '../sites/error-page.ts';
import type { Site } from '../sites/site.ts';
import { Passage, type PassageContext } from './passage.ts';

/** Fields that are removed from requests of nodes and from responses to them. */
const PEER_FIELDS: ReadonlySet<string> = new Set([PEER_FIELD]);
const PEER_HIT_FIELDS: ReadonlySet<string> = new Set([PEER_FIELD, 'cache-status']);

/**
 * The other node counts, logs and compresses, and its statements about the visitor are trusted. A
 * request of a node is never sent to a third node, so nodes that disagree about the owner cause no
 * loop.
 */
export const peerContext = (context: PassageContext): PassageContext => ({
  ...context,
  compression: undefined,
  onDone: undefined,
  traces: null,
  peers: null,
  rules: { name: context.rules.name, trusts: () => true },
});

/** Maximum clock difference between nodes. An invalidation is a time of another node's clock. */
const MAX_SKEW_MS = 1000;

/** Whether a stored response is newer than the other node's last invalidation of its URL. */
export const isUsableBy = (call: PeerCall | undefined, { requestTime }: StoredResponse): boolean =>
  call === undefined || call.newerThan === 0 || requestTime > call.newerThan + MAX_SKEW_MS;

/** The site with the changes that rules on the other node made for the request. */
export function siteForPeer(site: Site, { origin, lifetime }: PeerCall): Site {
  const cache =
    lifetime === null
      ? null
      : { ttl: lifetime.ttl, overrides: lifetime.overrides, maxTtl: lifetime.maxTtl ?? -1, parts: null };
  const changes =
    origin === null && cache === null
      ? undefined
      : new Changes({
          requestHeaders: [],
          responseHeaders: [],
          rewrite: null,
          cache,
          origin,
          bypassesCache: false,
          isUncompressed: false,
          uploads: NO_UPLOAD_TERMS,
        });
  return { ...site, changes };
}

export class PeerPassage extends Passage {
  #hasStarted = false;

  override sharedRequestFields(): FieldList {
    return withoutFields(this.exchange.headers, PEER_FIELDS);
  }

  override fetchShared(headers: FieldList, handler: ResponseHandler): Promise<void> {
    this.onWait();
    return super.fetchShared(headers, handler);
  }

  /** Sends 102 (Processing), so that the timeout of the other node does not expire. */
  onWait(): void {
    if (!this.isBackground && !this.#hasStarted && !this.exchange.isEnded) this.exchange.inform(WORKING, []);
  }

  /** Omits the Cache-Status of this node. */
  override visitorFields(headers: FieldList): FieldList {
    return this.storedFields(headers);
  }

  override respond(status: number, fields: FieldList, body: OriginBody): Done {
    this.#hasStarted = true;
    return super.respond(status, this.#peerFields(fields), body);
  }

  override respondWhole(status: number, fields: FieldList, body: Uint8Array): void {
    this.#hasStarted = true;
    super.respondWhole(status, this.#peerFields(fields), body);
  }

  #peerFields(fields: FieldList): FieldList {
    const isMiss = this.outcome === 'miss';
    return [...withoutFields(fields, isMiss ? PEER_FIELDS : PEER_HIT_FIELDS), PEER_FIELD, isMiss ? 'miss' : 'hit'];
  }

  /** Omits PEER_FIELD, so the other node fetches from the origin. */
  override refuse(page: ErrorPage): void {
    if (this.exchange.isEnded) {
      this.abandon();
      return;
    }
    this.exchange.respond(page.status, ['content-length', '0']);
    this.exchange.end();
    this.report(page.status, true);
  }
}
