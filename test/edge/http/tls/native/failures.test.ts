/**
 * Each call of OpenSSL that can fail fails once, wherever it is made. Then an Error says so or the
 * work goes on without it; nothing leaks, nothing is freed twice, no error stays for the next
 * connection, and that is served.
 */
import { createCipheriv } from 'node:crypto';
import koffi from 'koffi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadLibc } from '../../../../../core/os/libc.ts';
import { AF_UNIX, SOCK_NONBLOCK, SOCK_STREAM } from '../../../../../core/os/socket-constants.ts';
import { TlsContext } from '../../../../../edge/http/tls/context.ts';
import { Credentials } from '../../../../../edge/http/tls/credentials.ts';
import { readAuthorities, readCertificate, readKey } from '../../../../../edge/http/tls/native/certificates.ts';
import { loadOpenssl, NULL, type Openssl } from '../../../../../edge/http/tls/native/library.ts';
import { Memory } from '../../../../../edge/http/tls/native/memory.ts';
import { Objects, shareObjects } from '../../../../../edge/http/tls/native/ownership.ts';
import { QuickReader, type QuickTools, quickTools } from '../../../../../edge/http/tls/native/quick-credential.ts';
import { SSL_ERROR, Ssl } from '../../../../../edge/http/tls/native/ssl.ts';
import { quickUnsealing } from '../../../../../edge/http/tls/native/unsealing.ts';
import { testOpenssl } from '../../../../../edge/http/tls/self-test.ts';
import { certificate, ecKey, pemOfKey, rsaKey } from '../../../../support/certificate.ts';
import { CAN_FAIL, Faulty } from './faulty.ts';
import { liveKinds } from './live.ts';

const test = suite('edge/http/tls/native/failures');
const real = loadOpenssl();
const socketpair = koffi.load(null).func('int socketpair(int, int, int, void *)');

const authority = { name: 'ca.test', key: ecKey() };
const chain = certificate({ ...authority, ca: true });
const rsa = rsaKey(2048);
const server = {
  key: rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  cert: certificate({ name: 'a.test', key: rsa, issuer: authority }) + chain,
  staple: Buffer.from('a response'),
};
const client = { key: ecKey(), name: 'client.test' };
const clientPem = { cert: certificate({ ...client, issuer: authority }), key: pemOfKey(client.key) };
const LARGE = 100_000;
const SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE = 65;
const TLSEXT_STATUSTYPE_OCSP = 1;

const isEmptyQueue = (): boolean => real.ERR_peek_last_error() === 0;
/** Runs a call of the module, behind which no error is left. */
function step<T>(call: () => T): T {
  try {
    return call();
  } finally {
    assert.ok(isEmptyQueue(), 'an error is left');
  }
}

/**
 * A server with a key of a rare form, a chain, a staple and client certificates, over a pair of
 * sockets: handshake, small and large data, the end.
 */
function serveOverSockets(objects: Objects): void {
  const fds = new Int32Array(2);
  assert.is(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
  const context = step(() => new TlsContext(objects, 3600));
  const credentials = new Credentials(objects, 4, null);
  let ssl: Ssl | null = null;
  const peer = new Peer(fds[1]);
  try {
    context.ssl.setTickets({ current: new Uint8Array(48), previous: null });
    context.certificate = server;
    const opened = step(() => credentials.open(context.ssl, server));
    ssl = opened;
    step(() => context.bind(opened, 'a.test'));
    step(() => credentials.requestClient(opened, { isRequired: true, authorities: chain }));
    if (!step(() => opened.attach(fds[0]))) throw new Error('not attached');
    for (let i = 0; !step(() => opened.accept()); i++) {
      if (opened.error !== SSL_ERROR.WANT_READ || i > 5) throw new Error('no handshake');
      peer.shakeHands();
    }
    peer.shakeHands();
    step(() => context.ssl.watchMessages(opened));
    const shown = step(() => opened.peerCertificate(8192));
    if (!shown) throw new Error('no client certificate');
    peer.write(Buffer.from('hello'));
    const memory = new Memory(16_384);
    const count = step(() => opened.read(memory, 0));
    if (count === 0) throw new Error('nothing read');
    assert.is(memory.bytes.toString('latin1', 0, count), 'hello');
    const large = Buffer.alloc(LARGE, 'large ');
    step(() => opened.startBuffering(40_000));
    let at = 0;
    for (let isSent: boolean | null = false; !isSent; ) {
      at = step(() => opened.write(large, at));
      if (at < LARGE && opened.error !== SSL_ERROR.WANT_WRITE) throw new Error('not written');
      if (at === LARGE) isSent = step(() => opened.flush());
      if (isSent === null) throw new Error('not flushed');
      peer.read();
    }
    peer.read();
    assert.ok(Buffer.concat(peer.received).equals(large));
    if (!step(() => opened.shutdown())) throw new Error('not shut down');
  } finally {
    ssl?.free();
    credentials.close();
    context.close();
    peer.free();
    for (const fd of fds) loadLibc().close(fd);
  }
}

/** The other side, by calls that do not fail. */
class Peer {
  readonly received: Buffer[] = [];
  readonly #objects = new Objects(shareObjects(16));
  readonly #context = this.#objects.own('SSL_CTX', real.SSL_CTX_new(real.TLS_client_method()), 'a client');
  readonly #certificate = readCertificate(this.#objects, clientPem.cert);
  readonly #key = readKey(this.#objects, clientPem.key, this.#certificate);
  readonly #ssl = new Ssl(this.#objects, this.#context.pointer, () => {});
  readonly #memory = new Memory(16_384);

  constructor(fd: number) {
    this.#ssl.useCertificate(this.#certificate, this.#key, null);
    // SSL_set_tlsext_status_type: requests an OCSP response.
    real.SSL_ctrl(this.#ssl.pointer, SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE, TLSEXT_STATUSTYPE_OCSP, NULL);
    this.#ssl.attach(fd);
    this.shakeHands();
  }

  shakeHands(): void {
    real.SSL_connect(this.#ssl.pointer);
    real.ERR_clear_error();
  }

  write(bytes: Uint8Array): void {
    this.#ssl.write(bytes, 0);
  }

  read(): void {
    for (let n = this.#ssl.read(this.#memory, 0); n > 0; n = this.#ssl.read(this.#memory, 0))
      this.received.push(Buffer.from(this.#memory.bytes.subarray(0, n)));
  }

  free(): void {
    for (const handle of [this.#ssl, this.#key, this.#certificate, this.#context]) handle.free();
  }
}

function readAll(objects: Objects): void {
  for (const authorities of [chain, chain + chain]) {
    const { store, names } = step(() => readAuthorities(objects, authorities));
    store.free();
    names.free();
  }
  // The key is not the first block, so its type's decoder finds none.
  const own = step(() => readCertificate(objects, clientPem.cert));
  try {
    step(() => readKey(objects, clientPem.cert + clientPem.key, own)).free();
  } finally {
    own.free();
  }
}

function unseal(openssl: Openssl): void {
  const open = step(() => quickUnsealing(openssl));
  const key = Buffer.alloc(32);
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12));
  const sealed = Buffer.concat([cipher.update('secret'), cipher.final()]);
  const opened = step(() => open?.(key, Buffer.alloc(12), Buffer.alloc(0), sealed, cipher.getAuthTag()));
  if (opened === undefined) throw new Error('not opened');
  assert.is(opened.toString(), 'secret');
}

/** Each is run once for each call that it makes. */
const SCENARIOS: Readonly<Record<string, (openssl: Openssl, objects: Objects) => void>> = {
  'the self-test': (openssl) => testOpenssl(quickTools(), openssl),
  'a connection over sockets': (_openssl, objects) => serveOverSockets(objects),
  'the fast parser'(_openssl, objects) {
    const reader = new QuickReader(objects, quickTools() as QuickTools);
    const read = step(() => reader.read(clientPem.cert, clientPem.key));
    read?.certificate.free();
    read?.key.free();
    if (read === undefined) throw new Error('left to the readers of OpenSSL');
  },
  'authorities, and a key behind a certificate': (_openssl, objects) => readAll(objects),
  unsealing: unseal,
  // They are never freed, and so not counted.
  'the tools of the fast parser': (openssl) => {
    if (step(() => quickTools(openssl)) === null) throw new Error('no tools');
  },
};

/** Names of the functions that have failed. */
const failed = new Set<string>();

for (const [name, scenario] of Object.entries(SCENARIOS))
  test(name, () => {
    const run = (failing: number): { readonly calls: readonly string[]; readonly error: unknown } => {
      const faulty = new Faulty(failing);
      const shared = shareObjects(64);
      let error: unknown;
      try {
        scenario(faulty.openssl, new Objects(shared, faulty.openssl));
      } catch (thrown) {
        error = thrown;
      }
      const what = `call ${failing}, ${faulty.calls[failing]}: ${error}`;
      // The cipher of `unsealing` is kept for the process.
      assert.is(faulty.faults.replace('1 references of EVP_CIPHER_fetch', name === 'unsealing' ? '' : '$&'), '', what);
      assert.equal(liveKinds(shared), [], what);
      assert.ok(isEmptyQueue(), what);
      const isExpected = error instanceof Error && !(error instanceof TypeError || error instanceof assert.Assertion);
      assert.ok(error === undefined || isExpected, what);
      faulty.close();
      return { calls: faulty.calls, error };
    };
    const { calls, error } = run(-1);
    assert.is(error, undefined);
    for (const [failing, call] of calls.entries()) {
      failed.add(call);
      run(failing);
    }
    testOpenssl(quickTools());
  });

test('every function that can fail has failed', () => {
  assert.equal(
    CAN_FAIL.filter((name) => !failed.has(name)),
    [],
  );
});

test.run();
