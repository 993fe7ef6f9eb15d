/**
 * Certificates, keys and chains, read from PEM by OpenSSL. All functions throw an Error if the text
 * is unusable. The caller frees the objects.
 */
import { C, NULL, type Pointer } from './library.ts';
import { Memory } from './memory.ts';
import type { Handle, Objects } from './ownership.ts';
import type { Authorities } from './ssl.ts';

/** The last error if no PEM block follows. */
const NO_MORE_PEM = (C.ERR_LIB_PEM << C.ERR_LIB_OFFSET) | C.PEM_R_NO_START_LINE;

/** EVP_PKEY **: written by OpenSSL during a call. */
const object = new Memory(8);

/** The first certificate of a text. */
export function readCertificate(objects: Objects, pem: string): Handle<'X509'> {
  return withBio(objects, pem, (bio) => {
    const certificate = objects.openssl.PEM_read_bio_X509_AUX(bio, NULL, NULL, '');
    if (certificate === NULL) throw new Error('the certificate is not PEM');
    return objects.own('X509', certificate, 'a certificate');
  });
}

/**
 * The private key of a certificate. Its decoder is selected by the certificate's key type, since
 * OpenSSL otherwise prepares the decoders of all types (350 µs).
 */
export function readKey(objects: Objects, pem: string, certificate: Handle<'X509'>): Handle<'EVP_PKEY'> {
  const { openssl } = objects;
  const decoded = withBio(objects, pem, (bio) => decodeKey(objects, bio, certificate));
  const key =
    decoded ??
    // The first PEM block is not the key. The empty passphrase prevents a prompt on the terminal.
    withBio(objects, pem, (bio) => {
      const read = openssl.PEM_read_bio_PrivateKey(bio, NULL, NULL, '');
      if (read === NULL) throw new Error('the private key is not PEM');
      return objects.own('EVP_PKEY', read, 'a private key');
    });
  if (openssl.X509_check_private_key(certificate.pointer, key.pointer) === 1) return key;
  key.free();
  throw new Error('the private key does not match the certificate');
}

/** Null: the first PEM block is not a private key of the certificate's key type. */
function decodeKey(objects: Objects, bio: Pointer<'BIO'>, certificate: Handle<'X509'>): Handle<'EVP_PKEY'> | null {
  const { openssl } = objects;
  const publicKey = openssl.X509_get0_pubkey(certificate.pointer);
  if (publicKey === NULL) return null;
  object.writePointer(0, NULL);
  const type = openssl.EVP_PKEY_get0_type_name(publicKey);
  const created = openssl.OSSL_DECODER_CTX_new_for_pkey(
    object.address,
    'PEM',
    NULL,
    type,
    C.EVP_PKEY_KEYPAIR,
    NULL,
    NULL,
  );
  if (created === NULL) return null;
  const decoder = objects.own('OSSL_DECODER_CTX', created, 'a decoder');
  openssl.OSSL_DECODER_from_bio(created, bio);
  decoder.free();
  const key = object.readPointer<'EVP_PKEY'>(0);
  return key === NULL ? null : objects.own('EVP_PKEY', key, 'a private key');
}

/** All certificates of a text, as a STACK_OF(X509). */
export function readChain(objects: Objects, pem: string): Handle<'OPENSSL_STACK'> {
  const { chain, isWhole } = readStack(objects, pem);
  if (isWhole) return chain;
  chain.free();
  throw new Error('a certificate of the chain is not PEM');
}

/** The certificates of a text up to the first that is not PEM. */
function readStack(objects: Objects, pem: string): { readonly chain: Handle<'OPENSSL_STACK'>; isWhole: boolean } {
  const { openssl } = objects;
  const chain = objects.own('OPENSSL_STACK', openssl.OPENSSL_sk_new_null(), 'a chain');
  try {
    const isWhole = withBio(objects, pem, (bio) => {
      for (;;) {
        const next = openssl.PEM_read_bio_X509(bio, NULL, NULL, '');
        if (next === NULL) return openssl.ERR_peek_last_error() === NO_MORE_PEM;
        push(objects, chain, next);
      }
    });
    return { chain, isWhole };
  } catch (error) {
    chain.free();
    throw error;
  }
}

/** The certificates of a text as trust anchors. */
export function readAuthorities(objects: Objects, pem: string): Authorities {
  const { openssl } = objects;
  const names = readStack(objects, pem).chain;
  try {
    const count = openssl.OPENSSL_sk_num(names.pointer);
    if (count === 0) throw new Error('there is no authority of clients');
    const store = objects.own('X509_STORE', openssl.X509_STORE_new(), 'the authorities of clients');
    // Intermediate certificates of the list are trust anchors, too.
    let isSet = openssl.X509_STORE_set_flags(store.pointer, C.X509_V_FLAG_PARTIAL_CHAIN) === 1;
    for (let i = 0; i < count && isSet; i++)
      isSet =
        openssl.X509_STORE_add_cert(store.pointer, openssl.OPENSSL_sk_value(names.pointer, i) as Pointer<'X509'>) === 1;
    if (isSet) return { store, names };
    store.free();
    throw new Error('an authority of clients is unusable');
  } catch (error) {
    names.free();
    openssl.ERR_clear_error();
    throw error;
  }
}

/** The chain takes over the certificate. */
function push(objects: Objects, chain: Handle<'OPENSSL_STACK'>, pointer: Pointer<'X509'>): void {
  const certificate = objects.own('X509', pointer, 'a certificate');
  const isPushed = objects.openssl.OPENSSL_sk_push(chain.pointer, certificate.release()) > 0;
  if (isPushed) return;
  objects.own('X509', pointer, 'a certificate').free();
  throw new Error('out of memory for a certificate');
}

/** Lets `read` read the text, and overwrites the copy that it was read from. */
function withBio<T>(objects: Objects, pem: string, read: (bio: Pointer<'BIO'>) => T): T {
  const { openssl } = objects;
  const memory = Memory.of(pem);
  openssl.ERR_clear_error();
  try {
    const length = Buffer.byteLength(pem);
    const bio = objects.own('BIO', openssl.BIO_new_mem_buf(memory.address, length), 'a certificate');
    try {
      return read(bio.pointer);
    } finally {
      bio.free();
    }
  } finally {
    memory.bytes.fill(0);
  }
}
