/**
 * The request of another node, which asks this one as the owner of a key. Its fields are those that
 * the origin is to receive, made by the other node. The response has the fields as they are stored,
 * which the other node judges, stores and sends to its visitor like those of the origin.
 */
import { Changes } from '../../core/site/rules/index.ts';
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

const OF_PEER: ReadonlySet<string> = new Set([PEER_FIELD]);
const OF_HIT: ReadonlySet<string> = new Set([PEER_FIELD, 'cache-status']);

/**
 * The other node counts, logs and compresses. It states who the visitor is. A request of a node is
 * never sent to a third one, so nodes that disagree about the owner make no loop.
 */
export const peerContext = (context: PassageContext): PassageContext => ({
  ...context,
  compression: undefined,
  onDone: undefined,
  traces: null,
  peers: null,
  rules: { name: context.rules.name, trusts: () => true },
});

/** Clocks of nodes may differ by so many milliseconds, of which an invalidation is a time. */
const MAX_SKEW_MS = 1000;

/** Whether a stored response was requested after the other node's last invalidation of its URL. */
export const isUsableBy = (call: PeerCall | undefined, { requestTime }: StoredResponse): boolean =>
  call === undefined || call.newerThan === 0 || requestTime > call.newerThan + MAX_SKEW_MS;

/** The site with what rules on the other node changed for the request. */
export function siteForPeer(site: Site, { origin, lifetime }: PeerCall): Site {
  const cache = lifetime === null ? null : { ...lifetime, parts: null };
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
        });
  return { ...site, changes };
}

export class PeerPassage extends Passage {
  #hasBegun = false;

  override sharedRequestFields(): FieldList {
    return withoutFields(this.exchange.headers, OF_PEER);
  }

  override fetchShared(headers: FieldList, handler: ResponseHandler): Promise<void> {
    this.onWait();
    return super.fetchShared(headers, handler);
  }

  /** The other node need not ask the origin itself. */
  onWait(): void {
    if (!this.isBackground && !this.#hasBegun && !this.exchange.isEnded) this.exchange.inform(WORKING, []);
  }

  /** Without this cache's Cache-Status. */
  override visitorFields(headers: FieldList): FieldList {
    return this.storedFields(headers);
  }

  override respond(status: number, fields: FieldList, body: OriginBody): Done {
    this.#hasBegun = true;
    return super.respond(status, this.#peerFields(fields), body);
  }

  override respondWhole(status: number, fields: FieldList, body: Uint8Array): void {
    this.#hasBegun = true;
    super.respondWhole(status, this.#peerFields(fields), body);
  }

  #peerFields(fields: FieldList): FieldList {
    const isMiss = this.outcome === 'miss';
    return [...withoutFields(fields, isMiss ? OF_PEER : OF_HIT), PEER_FIELD, isMiss ? 'miss' : 'hit'];
  }

  /** Without the field, so that the other node fetches from the origin. */
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
