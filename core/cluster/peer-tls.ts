/**
 * The certificate and key of this node, and the authority of its peers, for connections between
 * nodes.
 */
export interface PeerTls {
  /** PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}
