/**
 * A connection to a primary: DNS messages over TCP (RFC 7766), or over TLS 1.3 (RFC 9103). It has
 * an idle timeout and applies back pressure.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { type Exemptions, mayConnect, parseAddress } from '../../net/address/index.ts';
import { connectFault } from '../../net/dial/connect-fault.ts';
import type { Primary } from '../../store/rows.ts';

const CONNECT_MS = 10_000;
/** Idle timeout in milliseconds. */
const IDLE_MS = 30_000;
/** RFC 9103 section 7.1. */
const ALPN = 'dot';

export interface Connection {
  send(message: Uint8Array): void;
  /** Messages in order. Throws when the connection ends or is too slow. */
  messages(): AsyncGenerator<Buffer>;
  close(): void;
}

/** Rejects with an Error that can be shown. `signal`: ends the connection. */
export async function connect(
  primary: Primary,
  exemptions: Exemptions,
  signal: AbortSignal,
  source: string | undefined,
): Promise<Connection> {
  requirePermitted(primary, exemptions);
  signal.throwIfAborted();
  const socket = primary.tls === null ? tcp(primary, source) : tls(primary, primary.tls, source);
  const stop = (): void => void socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop);
  socket.once('close', () => signal.removeEventListener('abort', stop));
  socket.on('error', () => {});
  try {
    await opened(socket, primary.tls === null ? 'connect' : 'secureConnect');
    if (primary.tls !== null) checkPeer(socket as TLSSocket, primary.tls);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return overSocket(socket);
}

/** The address may have been exempt when the zone was created. Throws Error. */
export function requirePermitted({ address }: Primary, exemptions: Exemptions): void {
  const bytes = parseAddress(address);
  const verdict = bytes && mayConnect(bytes, exemptions);
  if (verdict === undefined) throw new Error('its address is invalid');
  if (!verdict.public) throw new Error(`its address ${verdict.reason}`);
}

function tcp({ address, port }: Primary, localAddress: string | undefined): Socket {
  return connectTcp({ host: address, port, localAddress, noDelay: true });
}

function tls(
  { address, port }: Primary,
  { name }: NonNullable<Primary['tls']>,
  localAddress: string | undefined,
): TLSSocket {
  // The types lack `localAddress`, which TLS passes on to TCP.
  const options: ConnectionOptions & { readonly localAddress?: string } = {
    host: address,
    port,
    localAddress,
    minVersion: 'TLSv1.3',
    ALPNProtocols: [ALPN],
    // Without a name, the pin is checked instead of the chain, if there is one.
    rejectUnauthorized: name !== null,
    ...(name !== null && {
      servername: name,
      checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
        checkServerIdentity(name, certificate),
    }),
  };
  const socket = connectTls(options);
  socket.setNoDelay(true);
  return socket;
}

function checkPeer(socket: TLSSocket, { pin }: NonNullable<Primary['tls']>): void {
  if (socket.alpnProtocol !== ALPN) throw new Error('it does not offer DNS over TLS (ALPN "dot")');
  if (pin === null) return;
  const { raw } = socket.getPeerCertificate();
  const key = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' });
  if (createHash('sha256').update(key).digest('base64') !== pin)
    throw new Error('the public key of its certificate does not match the pin');
}

function opened(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it did not accept the connection in time')), CONNECT_MS);
    const settle = (end: () => void) => (): void => {
      clearTimeout(timer);
      end();
    };
    socket.once(event, settle(resolve));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(() => reject(shown(error)))());
    socket.once(
      'close',
      settle(() => reject(new Error('it closed the connection'))),
    );
  });
}

function shown(error: NodeJS.ErrnoException): Error {
  const fault = connectFault(error);
  if (fault === 'refused') return new Error('it refused the connection');
  if (fault === 'unreachable') return new Error('there is no route to it');
  if (fault === 'timed out') return new Error('it did not accept the connection in time');
  return new Error(`the connection failed: ${error.message}`);
}

function overSocket(socket: Socket): Connection {
  return {
    send(message) {
      socket.write(Buffer.concat([Uint8Array.of(message.length >> 8, message.length & 0xff), message]));
    },
    async *messages() {
      socket.setTimeout(IDLE_MS, () => socket.destroy(new Error('it sent nothing for 30 seconds')));
      let chunks: Buffer[] = [];
      let length = 0;
      // Back pressure: the next chunk is read after the consumer has taken these messages.
      try {
        for await (const chunk of socket as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          length += chunk.length;
          if (length < 2) continue;
          let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
          while (bytes.length >= 2) {
            const end = 2 + bytes.readUInt16BE(0);
            if (bytes.length < end) break;
            // A copy, since the chunk may be much larger than the message.
            yield Buffer.from(bytes.subarray(2, end));
            bytes = bytes.subarray(end);
          }
          chunks = bytes.length === 0 ? [] : [bytes];
          length = bytes.length;
        }
      } catch (error) {
        throw shown(error as NodeJS.ErrnoException);
      }
      throw new Error('it closed the connection before the end');
    },
    close() {
      socket.destroy();
    },
  };
}
