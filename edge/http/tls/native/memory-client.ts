/**
 * A TLS client in memory, for the self-test of a server. It verifies nothing by itself; the test
 * looks at what it received.
 */
import { C, type Pointer } from './library.ts';
import { Memory } from './memory.ts';
import { Handle, type Objects } from './ownership.ts';
import { peerCertificate, type Ssl } from './ssl.ts';

/** Bytes of a step. All flights of a handshake are shorter. */
const STEP = 16_384;
/** A handshake of TLS 1.3 takes two. */
const MAX_STEPS = 8;

export class MemoryClient extends Handle<'SSL'> {
  readonly #server: Ssl;
  readonly #step = new Memory(STEP);
  /** The SSLs own these: what each side receives. */
  readonly #toServer: Pointer<'BIO'>;
  readonly #toClient: Pointer<'BIO'>;

  /** `protocol`: of ALPN. `session`: to be resumed; null: none. */
  constructor(
    objects: Objects,
    server: Ssl,
    hello: { readonly serverName: string; readonly protocol: string; readonly session: Handle<'SSL_SESSION'> | null },
  ) {
    super(objects, 'SSL', newClient(objects), 'a client');
    this.#server = server;
    const { openssl } = objects;
    const { pointer } = this;
    const name = Memory.of(hello.serverName);
    const protocol = Buffer.from(`${String.fromCharCode(hello.protocol.length)}${hello.protocol}`);
    const created: Handle<'BIO'>[] = [];
    const createBio = (): Handle<'BIO'> => {
      const bio = objects.own('BIO', openssl.BIO_new(openssl.BIO_s_mem()), 'bytes in memory');
      created.push(bio);
      return bio;
    };
    try {
      // Each side reads from one BIO and writes to another; `#move` copies between the sides.
      const [toServer, fromServer, toClient, fromClient] = [createBio(), createBio(), createBio(), createBio()];
      this.#toServer = toServer.pointer;
      this.#toClient = toClient.pointer;
      openssl.SSL_set_bio(server.pointer, toServer.release(), fromServer.release());
      openssl.SSL_set_bio(pointer, toClient.release(), fromClient.release());
      const isSet =
        openssl.SSL_ctrl(pointer, C.SSL_CTRL_SET_TLSEXT_HOSTNAME, C.TLSEXT_NAMETYPE_host_name, name.address) === 1 &&
        openssl.SSL_set_alpn_protos(pointer, protocol, protocol.length) === 0 &&
        (hello.session === null || openssl.SSL_set_session(pointer, hello.session.pointer) === 1);
      if (!isSet) throw new Error('OpenSSL rejected the settings of a client');
    } catch (error) {
      for (const bio of created) bio.free();
      this.free();
      throw error;
    }
  }

  /** Sends the ClientHello, and returns it. */
  sendHello(): Buffer {
    this.objects.openssl.SSL_connect(this.pointer);
    return this.#move(this.objects.openssl.SSL_get_wbio(this.pointer), this.#toServer);
  }

  /** Completes the handshake on both sides. Throws an Error if it fails. */
  shakeHands(): void {
    const { openssl } = this.objects;
    let [isClientDone, isServerDone] = [false, false];
    for (let i = 0; i < MAX_STEPS && !(isClientDone && isServerDone); i++) {
      isServerDone = this.#server.accept();
      this.#toClientMove();
      openssl.ERR_clear_error();
      isClientDone = openssl.SSL_connect(this.pointer) === 1;
      this.#move(openssl.SSL_get_wbio(this.pointer), this.#toServer);
    }
    openssl.ERR_clear_error();
    if (!isClientDone || !isServerDone) throw new Error('the handshake failed');
  }

  /** Sends data to the server. */
  send(bytes: Uint8Array): void {
    const { openssl } = this.objects;
    openssl.SSL_write(this.pointer, bytes, bytes.length);
    this.#move(openssl.SSL_get_wbio(this.pointer), this.#toServer);
    openssl.ERR_clear_error();
  }

  /** Receives what the server has written: data, and tickets before it. */
  receive(): Buffer {
    const { openssl } = this.objects;
    this.#toClientMove();
    const length = openssl.SSL_read(this.pointer, this.#step.address, STEP);
    openssl.ERR_clear_error();
    return Buffer.from(this.#step.bytes.subarray(0, Math.max(length, 0)));
  }

  get protocol(): string {
    const [out, bytes] = [new Memory(16), Buffer.alloc(255)];
    out.bytes.fill(0);
    this.objects.openssl.SSL_get0_alpn_selected(this.pointer, out.at(0), out.at(8));
    const length = out.bytes.readUInt32LE(8);
    if (length > 0) this.objects.openssl.copyIn(bytes, out.readPointer(0), Math.min(length, bytes.length));
    return bytes.toString('latin1', 0, length);
  }

  /** As DER; null: none; undefined: it is longer than `maximum`. */
  serverCertificate(maximum: number): Buffer | null | undefined {
    return peerCertificate(this.objects, this.pointer, maximum);
  }

  /** Ends the connection. Returns its session, which the caller frees. */
  end(): Handle<'SSL_SESSION'> {
    const { openssl } = this.objects;
    // OpenSSL never resumes a session whose connection ended without close_notify.
    openssl.SSL_shutdown(this.pointer);
    openssl.ERR_clear_error();
    return this.objects.own('SSL_SESSION', openssl.SSL_get1_session(this.pointer), 'a session');
  }

  #toClientMove(): void {
    this.#move(this.objects.openssl.SSL_get_wbio(this.#server.pointer), this.#toClient);
  }

  /** Copies all bytes, and returns the first of them. */
  #move(from: Pointer<'BIO'>, to: Pointer<'BIO'>): Buffer {
    const { openssl } = this.objects;
    let first: Buffer | null = null;
    for (;;) {
      const count = openssl.BIO_read(from, this.#step.address, STEP);
      if (count <= 0) return first ?? Buffer.alloc(0);
      first ??= Buffer.from(this.#step.bytes.subarray(0, count));
      openssl.BIO_write(to, this.#step.address, count);
    }
  }
}

function newClient(objects: Objects): Pointer<'SSL'> {
  const { openssl } = objects;
  const context = objects.own('SSL_CTX', openssl.SSL_CTX_new(openssl.TLS_client_method()), 'a TLS context');
  // The SSL has a reference of its own.
  const ssl = openssl.SSL_new(context.pointer);
  context.free();
  return ssl;
}
