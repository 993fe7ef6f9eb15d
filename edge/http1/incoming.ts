/** node's message of a request, which says itself whether it is one that leaves HTTP. */
import { IncomingMessage } from 'node:http';

/** The fields as they came: name, value, …, names in any case. */
type RawHeaders = readonly string[];

/** The list under this name (RFC 9110 section 5.6.1) has that member; letters in any case. */
function listHas(headers: RawHeaders, name: string, member: string): boolean {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i].length !== name.length || headers[i].toLowerCase() !== name) continue;
    if (headers[i + 1].split(',').some((one) => one.trim().toLowerCase() === member)) return true;
  }
  return false;
}

/**
 * RFC 6455 section 4.1: a GET of HTTP/1.1 without a body. Any other upgrade is ignored, as RFC 9110 section 7.8 lets a server do: `h2c` was taken
 * back (RFC 9113 section 3.1), and a body before a tunnel is how requests are smuggled.
 */
function asksForWebSocket(message: IncomingMessage): boolean {
  const { rawHeaders, method, httpVersionMajor, httpVersionMinor } = message;
  if ((method ?? 'GET') !== 'GET' || httpVersionMajor !== 1 || httpVersionMinor !== 1) return false;
  if (!listHas(rawHeaders, 'upgrade', 'websocket') || !listHas(rawHeaders, 'connection', 'upgrade')) return false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    if (name === 'transfer-encoding' || (name === 'content-length' && rawHeaders[i + 1] !== '0')) return false;
  }
  return true;
}

/**
 * node hands every request with an Upgrade to the same listener, and takes the connection off HTTP for it: what `upgrade` says is how it is kept from
 * doing so. It is written and read by node while a head is parsed; CONNECT is one always.
 */
export class Incoming extends IncomingMessage {
  declare private isUpgrade: boolean | null;

  /** An upgrade that is ignored. The parser stops behind it all the same, and what came with it is lost: it has to be the last request. */
  get isLast(): boolean {
    return this.isUpgrade === true && !this.upgrade;
  }

  get upgrade(): boolean | null {
    if (this.isUpgrade !== true) return this.isUpgrade;
    return this.method === 'CONNECT' || asksForWebSocket(this);
  }
  set upgrade(is: boolean | null) {
    this.isUpgrade = is;
  }
}
