/** HTTP client for a peer, over mutual TLS. */
import { Agent } from 'undici';
import type { Member } from './members.ts';
import { checkKey, type PeerTls } from './peer-tls.ts';

/** Timeout in milliseconds of the responses of other nodes. */
const DEADLINE = 2000;
const MAX_ANSWER_BYTES = 8 << 20;

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

/**
 * Reads JSON from a node. Rejects unless it responds with JSON within `deadline` milliseconds.
 * `what`: the noun in the error message.
 */
export async function readFromPeer(
  member: Member,
  tls: PeerTls,
  path: string,
  what: string,
  deadline = DEADLINE,
): Promise<unknown> {
  const { name, address } = member;
  const agent = peerAgent(member, tls, { connect: deadline }, MAX_ANSWER_BYTES);
  try {
    const { statusCode, body } = await agent.request({
      origin: `https://${address}`,
      path,
      method: 'GET',
      signal: AbortSignal.timeout(deadline),
    });
    if (statusCode !== 200) throw new Error(`${name} sent no ${what}: status ${statusCode}`);
    return await body.json();
  } finally {
    await agent.destroy();
  }
}
