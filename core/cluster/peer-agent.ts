/** Connections to one other node, with certificates on both sides. */
import { Agent } from 'undici';
import { checkKey } from './key-print.ts';
import type { Member } from './members.ts';
import type { PeerTls } from './peer-tls.ts';

/** In milliseconds; undici's own where one is left out. */
interface PeerTimeouts {
  readonly connect: number;
  /** Until the answer begins. */
  readonly headers?: number;
  /** Without a byte of it. */
  readonly body?: number;
}

/** The default, as undici has it. */
const UNLIMITED = -1;

/**
 * To a node, whose certificate must have its name and its key. `maxBytes`: of the body of a
 * response.
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
