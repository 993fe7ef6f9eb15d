/** The transport of the API. */
import { loadUws, TRANSPORT_NAMES } from '../../http/uws.ts';
import { type AnyCheck, check, failure, note, ok, warning } from './check.ts';

type Name = keyof typeof TRANSPORT_NAMES;

export interface TransportReading {
  /** Transport of the running daemon; null: not running, or not reported. */
  readonly running: Name | null;
  readonly setting: 'auto' | Name;
  /** Why Node cannot load uWebSockets.js; null: it can. */
  readonly missing: string | null;
}

const FIX = 'node --version   # install Node 22: see docs/install.md';

/** Null: Node can load uWebSockets.js. */
async function whyNotUws(): Promise<string | null> {
  const loaded = await loadUws();
  return loaded.uws === undefined ? loaded.reason : null;
}

/** "uWebSockets.js", or "node:http" with the reason: the transport of `admin.transport` "auto". */
export async function describeTransport(): Promise<string> {
  const missing = await whyNotUws();
  return missing === null ? TRANSPORT_NAMES.uws : `${TRANSPORT_NAMES.node}, since ${missing}`;
}

export const transport = check<TransportReading>({
  id: 'daemon.transport',
  why: 'Without uWebSockets.js the API answers fewer requests a second.',
  async read(context) {
    const reply = await context.fetch('/metrics');
    const shown = /^waypost_api_transport\{transport="(uws|node)"\}/m.exec(reply?.body ?? '')?.[1];
    return {
      running: shown === 'uws' || shown === 'node' ? shown : null,
      setting: context.config.admin.transport,
      missing: await whyNotUws(),
    };
  },
  judge({ running, setting, missing }) {
    if (running === null && setting === 'uws' && missing !== null)
      return failure(`admin.transport is "uws", but ${missing}`, FIX);
    const isNode = setting === 'node' || (setting === 'auto' && missing !== null);
    const name = running ?? (isNode ? 'node' : 'uws');
    const found = `the API ${running === null ? 'would be' : 'is'} served by ${TRANSPORT_NAMES[name]}`;
    if (name === 'uws') return ok(found);
    if (setting === 'node') return note(`${found}, since admin.transport is "node"`);
    return missing === null
      ? warning(`${found}, but uWebSockets.js loads here`, 'sudo systemctl restart waypost')
      : warning(`${found}: ${missing}`, FIX);
  },
});

export const TRANSPORT_CHECKS: readonly AnyCheck[] = [transport];
