/** Answers requests from peers for keys that this node owns. */
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Site, SiteLookup } from '../sites/site.ts';
import type { PeerIdentity } from './identity.ts';
import { PEER_FIELD, type PeerCall, readCall } from './peer-call.ts';
import type { PurgePositions } from './shared-marks.ts';

export type ServePeer = (exchange: Exchange, site: Site, call: PeerCall) => void | Promise<void>;

interface PeerRequestsOptions {
  /** The name of this node. */
  readonly self: string;
  readonly identity: Pick<PeerIdentity, 'signingKeys'>;
  readonly positions: Pick<PurgePositions, 'executed'>;
  readonly siteOf: SiteLookup;
  readonly serve: ServePeer;
  readonly onServed: () => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const NOTHING: FieldList = ['content-length', '0'];

export class PeerRequests {
  constructor(private readonly options: PeerRequestsOptions) {}

  /** For connections with PEER_SERVER_NAME only. */
  handle(exchange: Exchange): void | Promise<void> {
    const { self, identity, positions, siteOf, serve, onServed, clock = Date.now } = this.options;
    const { authority, path, method, headers } = exchange;
    const at = headers.lastIndexOf(PEER_FIELD);
    const target = { node: self, authority, path };
    const call = at < 0 ? undefined : readCall(headers[at + 1] ?? '', target, identity.signingKeys, clock());
    if (call === undefined || method !== 'GET') return refuse(exchange, 421);
    // This node has not executed a purge that the peer has announced, so it may store a response
    // that is purged there.
    if (positions.executed < call.purgedAt) return refuse(exchange, 409);
    const site = siteOf(siteHost(authority));
    if (site === undefined) return refuse(exchange, 404);
    onServed();
    return serve(exchange, site, call);
  }
}

/** Responds without PEER_FIELD, so that the peer fetches from the origin. */
function refuse(exchange: Exchange, status: number): void {
  exchange.respond(status, NOTHING);
  exchange.end();
}
