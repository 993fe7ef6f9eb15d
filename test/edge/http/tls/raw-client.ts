/**
 * A client of TLS over Node's own OpenSSL, between which and its socket is memory: what it says
 * is had as bytes, and messages can be made that no client of node:tls sends.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import koffi from 'koffi';
import { CTRL, fixedMemory, loadOpenssl } from '../../../../edge/http/tls/openssl.ts';

const TLSEXT_CTRL_SERVER_NAME = 55;
const ALPN_H2 = '\u0002h2';
const KEY_UPDATE_NOT_REQUESTED = 0;
const ROOM = 65_536;
/**
 * Bytes that a message of one KeyUpdate takes, with its record (RFC 8446 section 5.2): AES-128-GCM.
 */
export const KEY_UPDATE_BYTES = 5 + 5 + 1 + 16;

type Call = (...values: readonly (number | string | Uint8Array)[]) => number;
const library = koffi.load(null);
const call = (signature: string): Call => library.func(signature);
const own = {
  clientMethod: call('uintptr_t TLS_client_method()'),
  memoryMethod: call('uintptr_t BIO_s_mem()'),
  newBio: call('uintptr_t BIO_new(uintptr_t)'),
  setBio: call('void SSL_set_bio(uintptr_t, uintptr_t, uintptr_t)'),
  readBio: call('int BIO_read(uintptr_t, uintptr_t, int)'),
  writeBio: call('int BIO_write(uintptr_t, void*, int)'),
  connect: call('int SSL_connect(uintptr_t)'),
  handshake: call('int SSL_do_handshake(uintptr_t)'),
  keyUpdate: call('int SSL_key_update(uintptr_t, int)'),
  control: call('long SSL_ctrl(uintptr_t, int, long, str)'),
  protocols: call('int SSL_set_alpn_protos(uintptr_t, str, uint)'),
};

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
  const { bytes, address } = fixedMemory(ROOM);
  const context = openssl.SSL_CTX_new(own.clientMethod());
  openssl.SSL_CTX_set_ciphersuites(context, 'TLS_AES_128_GCM_SHA256');
  openssl.SSL_CTX_ctrl(context, CTRL.MIN_PROTO_VERSION, 0x0304, 0);
  const ssl = openssl.SSL_new(context);
  openssl.SSL_CTX_free(context);
  const [input, output] = [own.newBio(own.memoryMethod()), own.newBio(own.memoryMethod())];
  own.setBio(ssl, input, output);
  own.control(ssl, TLSEXT_CTRL_SERVER_NAME, 0, serverName);
  own.protocols(ssl, ALPN_H2, ALPN_H2.length);
  const printed = (): Buffer => {
    const parts: Buffer[] = [];
    for (let n = own.readBio(output, address, ROOM); n > 0; n = own.readBio(output, address, ROOM))
      parts.push(Buffer.from(bytes.subarray(0, n)));
    return Buffer.concat(parts);
  };
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.setMaxListeners(0);
  await once(socket, 'connect');
  for (openssl.ERR_clear_error(); own.connect(ssl) !== 1; openssl.ERR_clear_error()) {
    socket.write(printed());
    const [part] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
    if (!Buffer.isBuffer(part)) throw new Error('closed before the end of the handshake');
    own.writeBio(input, part, part.length);
  }
  socket.write(printed());
  socket.resume();
  return {
    socket,
    keyUpdates(count) {
      for (let i = 0; i < count; i++) {
        own.keyUpdate(ssl, KEY_UPDATE_NOT_REQUESTED);
        own.handshake(ssl);
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
