/** A handle that is freed or passed on cannot be used; a connection outlives no context. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextTicketKeys } from '../../../../../core/site/tls/ticket-keys.ts';
import { TlsContext } from '../../../../../edge/http/tls/context.ts';
import { readAuthorities, readCertificate, readKey } from '../../../../../edge/http/tls/native/certificates.ts';
import { NULL } from '../../../../../edge/http/tls/native/library.ts';
import { Memory } from '../../../../../edge/http/tls/native/memory.ts';
import { freeObjects, Objects, shareObjects } from '../../../../../edge/http/tls/native/ownership.ts';
import type { Ssl } from '../../../../../edge/http/tls/native/ssl.ts';
import { certificate, ecKey, pemOfKey } from '../../../../support/certificate.ts';
import { liveKinds } from './live.ts';

const test = suite('edge/http/tls/native/ownership');
const pair = ecKey();
const pem = { cert: certificate({ name: 'a.test', key: pair }), key: pemOfKey(pair) };

test('a freed handle throws, and is freed once', () => {
  const shared = shareObjects(4);
  const objects = new Objects(shared);
  const own = readCertificate(objects, pem.cert);
  assert.is(own.isFreed, false);
  own.free();
  own.free();
  assert.is(own.isFreed, true);
  assert.throws(() => own.pointer, /use of a freed X509/);
  assert.throws(() => own.release(), /use of a freed X509/);
  // A later object at the same address is not affected.
  const later = readCertificate(objects, pem.cert);
  own.free();
  assert.equal(liveKinds(shared), ['X509']);
  assert.throws(() => readKey(objects, pem.key, own), /use of a freed X509/);
  later.free();
  assert.equal(liveKinds(shared), []);
});

test('every method of a freed connection throws', () => {
  const shared = shareObjects(16);
  const objects = new Objects(shared);
  const context = new TlsContext(objects, 3600);
  const own = readCertificate(objects, pem.cert);
  const key = readKey(objects, pem.key, own);
  const authorities = readAuthorities(objects, pem.cert);
  const ssl = context.ssl.createConnection();
  ssl.free();
  const memory = new Memory(1);
  const methods: Readonly<Record<string, (freed: Ssl) => unknown>> = {
    useCertificate: (freed) => freed.useCertificate(own, key, null),
    bindSessions: (freed) => freed.bindSessions(Buffer.of(1)),
    requireTls13: (freed) => freed.requireTls13(),
    requestCertificate: (freed) => freed.requestCertificate(authorities, true),
    attach: (freed) => freed.attach(0),
    accept: (freed) => freed.accept(),
    read: (freed) => freed.read(memory, 0),
    readMore: (freed) => freed.readMore(memory, 0),
    hasPending: (freed) => freed.hasPending,
    write: (freed) => freed.write(Buffer.of(1), 0),
    shutdown: (freed) => freed.shutdown(),
    isTls13: (freed) => freed.isTls13,
    isResumed: (freed) => freed.isResumed,
    setReadAhead: (freed) => freed.setReadAhead(1),
    peerCertificate: (freed) => freed.peerCertificate(1),
    startBuffering: (freed) => freed.startBuffering(1),
    flush: (freed) => freed.flush(),
    watchMessages: (freed) => context.ssl.watchMessages(freed),
  };
  for (const [name, call] of Object.entries(methods)) assert.throws(() => call(ssl), /use of a freed SSL/, name);
  assert.is(ssl.buffered, 0);
  // All of its methods are listed.
  const prototype = Object.getPrototypeOf(ssl) as object;
  const untested = Object.getOwnPropertyNames(prototype).filter(
    (name) => !(name in methods) && !['constructor', 'free', 'buffered'].includes(name),
  );
  assert.equal(untested, []);
  for (const handle of [own, key, authorities.store, authorities.names]) handle.free();
  context.close();
  assert.throws(() => context.ssl.createConnection(), /use of a freed SSL_CTX/);
  assert.equal(liveKinds(shared), []);
});

test('a context is not freed while connections could call its functions', () => {
  const shared = shareObjects(16);
  const context = new TlsContext(new Objects(shared), 3600);
  context.ssl.setTickets(nextTicketKeys(null));
  const connections = [context.ssl.createConnection(), context.ssl.createConnection()];
  for (const ssl of connections) {
    assert.throws(() => context.close(), /connections use the TLS context/);
    ssl.free();
    ssl.free();
  }
  context.close();
  context.close();
  assert.equal(liveKinds(shared), []);
});

test('NULL is no handle, and what finds no room is freed', () => {
  const shared = shareObjects(2);
  const objects = new Objects(shared);
  const { openssl } = objects;
  assert.throws(() => objects.own('X509', NULL, 'a thing'), /out of memory for a thing/);
  const kept = [openssl.X509_STORE_new(), openssl.X509_STORE_new()].map((pointer) =>
    objects.own('X509_STORE', pointer, 'a store'),
  );
  for (let i = 0; i < 10; i++)
    assert.throws(() => objects.own('X509_STORE', openssl.X509_STORE_new(), 'a store'), /no room for a store/);
  kept[0].free();
  objects.own('X509_STORE', openssl.X509_STORE_new(), 'a store').free();
  assert.is(freeObjects(shared), 1);
  assert.is(freeObjects(shared), 0);
});

test('memory beyond its end is not passed on', () => {
  const memory = new Memory(1000);
  assert.is(memory.at(1000), memory.address + 1000);
  for (const [offset, length] of [
    [1001, 0],
    [-1, 0],
    [999, 2],
    [0, -1],
  ])
    assert.throws(() => memory.at(offset, length), /of 1000 were requested/);
});

test.run();
