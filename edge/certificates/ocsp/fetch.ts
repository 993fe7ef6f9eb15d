/** HTTP to OCSP responders (RFC 6960 appendix A.1), by the guarded client of origins. */
import { isIP } from 'node:net';
import { NO_BODY } from '../../http/exchange/body-queue.ts';
import type { Fetch, OriginBody } from '../../origin/origin.ts';
import type { CheckedStatus, StatusTarget } from './status.ts';

/** Milliseconds for an exchange. */
const TIMEOUT_MS = 10_000;
/** Bytes of a response. Common ones have 500 to 2,500. */
const MAX_RESPONSE = 16_384;

/** Rejects with an Error for a response that must not be sent to clients. */
export type FetchStatus = (target: StatusTarget, signal: AbortSignal) => Promise<CheckedStatus>;

/** `send`: connects to permitted addresses only, and follows no redirects. */
export function createFetchStatus(send: Fetch): FetchStatus {
  return async (target, stop) => {
    const { checkStatus, statusRequest } = await import('./status.ts');
    const { responder } = target;
    if (responder.search !== '') throw new Error('the URL of the responder has a query');
    const request = encodeURIComponent(Buffer.from(statusRequest(target)).toString('base64'));
    const host = responder.hostname.replace(/^\[(.*)\]$/, '$1');
    const { status, body } = await send(
      {
        origin: { host, port: Number(responder.port || 80), protocol: 'http' },
        serverName: isIP(host) === 0 ? host : '',
        method: 'GET',
        path: `${responder.pathname.replace(/\/$/, '')}/${request}`,
        authority: responder.host,
        headers: ['accept', 'application/ocsp-response', 'user-agent', 'waypost'],
        body: NO_BODY,
        protocol: '',
      },
      AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    );
    if (status !== 200) {
      body.cancel();
      throw new Error(`the responder answered with status ${status}`);
    }
    return checkStatus(await readAll(body), target, Date.now());
  };
}

async function readAll(body: OriginBody): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await body.read(); part !== null; part = await body.read()) {
    parts.push(part);
    length += part.length;
    if (length <= MAX_RESPONSE) continue;
    body.cancel();
    throw new Error(`the response exceeds ${MAX_RESPONSE} bytes`);
  }
  return Buffer.concat(parts);
}
