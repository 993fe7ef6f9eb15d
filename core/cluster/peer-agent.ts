/** HTTP client for a peer, over mutual TLS. */
import { Agent } from 'undici';
import { checkKey } from './key-print.ts';
import type { Member } from './members.ts';
import type { PeerTls } from './peer-tls.ts';

/** In milliseconds. Omitted: the default of undici. */
interface PeerTimeouts {
  readonly connect: number;
  /** Until the response header arrives. */
  readonly headers?: number;
  /** Between two chunks of the body. */
  readonly body?: number;
}

/** The default of undici. */
const UNLIMITED = -1;

/**
 * An agent for a node, whose certificate must have its name and its key. `maxBytes`: maximum bytes
 * of a response body.
 */
export function peerAgent(
  { name, key }: Pick<Member, 'name' | 'key'>,
  tls: PeerTls,
  { connect, headers, body }: PeerTimeouts,
  maxBytes = UNLIMITED,
): Agent {
  return new Agent({
    connect: {
      ca: tls.ca,
      cert: tls.certificate,
      key: tls.key,
      servername: name,
      checkServerIdentity: checkKey(key),
      timeout: connect,
    },
    headersTimeout: headers,
    bodyTimeout: body,
    maxResponseSize: maxBytes,
  });
}
