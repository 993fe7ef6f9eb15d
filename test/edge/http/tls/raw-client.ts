/**
 * A client of TLS over Node's own OpenSSL, between which and its socket is memory: what it says
 * is had as bytes, and messages can be made that no client of node:tls sends.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import koffi from 'koffi';
import { C, loadOpenssl, NULL, type Pointer } from '../../../../edge/http/tls/native/library.ts';
import { Memory } from '../../../../edge/http/tls/native/memory.ts';

const ALPN_H2 = Buffer.from('\u0002h2');
const KEY_UPDATE_NOT_REQUESTED = 0;
const ROOM = 65_536;
/**
 * Bytes that a message of one KeyUpdate takes, with its record (RFC 8446 section 5.2): AES-128-GCM.
 */
export const KEY_UPDATE_BYTES = 5 + 5 + 1 + 16;

const library = koffi.load(null);
const handshake: (ssl: Pointer<'SSL'>) => number = library.func('int SSL_do_handshake(uintptr_t)');
const keyUpdate: (ssl: Pointer<'SSL'>, type: number) => number = library.func('int SSL_key_update(uintptr_t, int)');

export interface RawClient {
  readonly socket: Socket;
  /** `count` KeyUpdates (RFC 8446 section 4.6.3) that ask for none in return. */
  keyUpdates(count: number): Buffer;
  /** `bytes` as one record of application data, or more where they are many. */
  data(bytes: Uint8Array): Buffer;
  /** Frees what it has; the socket stays. */
  free(): void;
}

/** After the handshake, in which HTTP/2 is offered. Rejects when the connection closes before. */
export async function rawClient(port: number, serverName: string): Promise<RawClient> {
  const openssl = loadOpenssl();
  const memory = new Memory(ROOM);
  const { bytes, address } = memory;
  const context = openssl.SSL_CTX_new(openssl.TLS_client_method());
  openssl.SSL_CTX_set_ciphersuites(context, 'TLS_AES_128_GCM_SHA256');
  openssl.SSL_CTX_ctrl(context, C.SSL_CTRL_SET_MIN_PROTO_VERSION, C.TLS1_3_VERSION, NULL);
  const ssl = openssl.SSL_new(context);
  openssl.SSL_CTX_free(context);
  const [input, output] = [openssl.BIO_new(openssl.BIO_s_mem()), openssl.BIO_new(openssl.BIO_s_mem())];
  openssl.SSL_set_bio(ssl, input, output);
  const name = Memory.of(serverName);
  openssl.SSL_ctrl(ssl, C.SSL_CTRL_SET_TLSEXT_HOSTNAME, C.TLSEXT_NAMETYPE_host_name, name.address);
  openssl.SSL_set_alpn_protos(ssl, ALPN_H2, ALPN_H2.length);
  const printed = (): Buffer => {
    const parts: Buffer[] = [];
    for (let n = openssl.BIO_read(output, address, ROOM); n > 0; n = openssl.BIO_read(output, address, ROOM))
      parts.push(Buffer.from(bytes.subarray(0, n)));
    return Buffer.concat(parts);
  };
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.setMaxListeners(0);
  await once(socket, 'connect');
  for (openssl.ERR_clear_error(); openssl.SSL_connect(ssl) !== 1; openssl.ERR_clear_error()) {
    socket.write(printed());
    const [part] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
    if (!Buffer.isBuffer(part)) throw new Error('closed before the end of the handshake');
    bytes.set(part);
    openssl.BIO_write(input, address, part.length);
  }
  socket.write(printed());
  socket.resume();
  return {
    socket,
    keyUpdates(count) {
      for (let i = 0; i < count; i++) {
        keyUpdate(ssl, KEY_UPDATE_NOT_REQUESTED);
        handshake(ssl);
      }
      return printed();
    },
    data(data) {
      openssl.SSL_write(ssl, data, data.length);
      return printed();
    },
    free: () => void openssl.SSL_free(ssl),
  };
}
