/**
 * Who frees OpenSSL's objects, and when. Each object that has to be freed is in one Handle, from
 * the function that creates it until `free` or `release`. The handles of a thread are listed in
 * memory shared with the main thread, which frees those of a thread that died.
 *
 * An entry of the list is cleared before its object is freed or passed on. A thread may be
 * terminated between any two statements, so the reverse order could free an object twice. In this
 * order one object may leak.
 */
import { loadOpenssl, NULL, type Openssl, type Pointer } from './library.ts';

/** Frees an object of each kind, that is, one reference to it. */
const FREE = {
  SSL: (openssl: Openssl, ssl: Pointer<'SSL'>) => openssl.SSL_free(ssl),
  SSL_CTX: (openssl: Openssl, context: Pointer<'SSL_CTX'>) => openssl.SSL_CTX_free(context),
  SSL_SESSION: (openssl: Openssl, session: Pointer<'SSL_SESSION'>) => openssl.SSL_SESSION_free(session),
  BIO: (openssl: Openssl, bio: Pointer<'BIO'>) => openssl.BIO_free(bio),
  X509: (openssl: Openssl, certificate: Pointer<'X509'>) => openssl.X509_free(certificate),
  X509_STORE: (openssl: Openssl, store: Pointer<'X509_STORE'>) => openssl.X509_STORE_free(store),
  /** A STACK_OF(X509), which owns its certificates. */
  OPENSSL_STACK(openssl: Openssl, stack: Pointer<'OPENSSL_STACK'>): void {
    for (;;) {
      const certificate = openssl.OPENSSL_sk_pop(stack) as Pointer<'X509'>;
      if (certificate === NULL) break;
      openssl.X509_free(certificate);
    }
    openssl.OPENSSL_sk_free(stack);
  },
  EVP_PKEY: (openssl: Openssl, key: Pointer<'EVP_PKEY'>) => openssl.EVP_PKEY_free(key),
  EC_KEY: (openssl: Openssl, key: Pointer<'EC_KEY'>) => openssl.EC_KEY_free(key),
  OSSL_DECODER_CTX: (openssl: Openssl, decoder: Pointer<'OSSL_DECODER_CTX'>) => openssl.OSSL_DECODER_CTX_free(decoder),
  EVP_CIPHER: (openssl: Openssl, cipher: Pointer<'EVP_CIPHER'>) => openssl.EVP_CIPHER_free(cipher),
  EVP_CIPHER_CTX: (openssl: Openssl, context: Pointer<'EVP_CIPHER_CTX'>) => openssl.EVP_CIPHER_CTX_free(context),
};

export type Kind = keyof typeof FREE;
export const KINDS = Object.keys(FREE) as Kind[];

function freePointer(openssl: Openssl, kind: Kind, pointer: Pointer<Kind>): void {
  const free = FREE[kind] as (openssl: Openssl, pointer: Pointer<Kind>) => void;
  free(openssl, pointer);
  openssl.ERR_clear_error();
}

/** The list of a thread's objects. */
export interface SharedObjects {
  /** Float64: addresses; 0: none. */
  readonly pointers: SharedArrayBuffer;
  /** Uint8: indices of KINDS. */
  readonly kinds: SharedArrayBuffer;
}

export function shareObjects(capacity: number): SharedObjects {
  return {
    pointers: new SharedArrayBuffer(capacity * Float64Array.BYTES_PER_ELEMENT),
    kinds: new SharedArrayBuffer(capacity),
  };
}

/** Frees the objects of a thread that has ended. Returns their number. */
export function freeObjects(shared: SharedObjects): number {
  const [pointers, kinds] = [new Float64Array(shared.pointers), new Uint8Array(shared.kinds)];
  let count = 0;
  for (let entry = 0; entry < pointers.length; entry++) {
    const pointer = pointers[entry] as Pointer<Kind>;
    if (pointer === NULL) continue;
    pointers[entry] = 0;
    freePointer(loadOpenssl(), KINDS[kinds[entry]], pointer);
    count++;
  }
  return count;
}

/** The objects of a thread. */
export class Objects {
  readonly openssl: Openssl;
  readonly #pointers: Float64Array;
  readonly #kinds: Uint8Array;
  /** Entries that were used and are free again. All from `#unused` on are free, too. */
  readonly #free: number[] = [];
  #unused = 0;

  /** `openssl`: a test passes one whose functions fail. */
  constructor(shared: SharedObjects, openssl: Openssl = loadOpenssl()) {
    this.openssl = openssl;
    this.#pointers = new Float64Array(shared.pointers);
    this.#kinds = new Uint8Array(shared.kinds);
  }

  /**
   * Takes ownership of a new object. Throws an Error if the pointer is NULL, or if the list is
   * full, in which case the object is freed. `what` names the object in the error.
   */
  own<K extends Kind>(kind: K, pointer: Pointer<K>, what: string): Handle<K> {
    return new Handle(this, kind, pointer, what);
  }

  /** For Handle: lists an object, and returns its entry. */
  enter(kind: Kind, pointer: Pointer<Kind>, what: string): number {
    if (pointer === NULL) {
      this.openssl.ERR_clear_error();
      throw new Error(`out of memory for ${what}`);
    }
    const entry = this.#free.pop() ?? this.#unused++;
    if (entry >= this.#pointers.length) {
      this.#free.push(entry);
      freePointer(this.openssl, kind, pointer);
      throw new Error(`too many objects of OpenSSL: no room for ${what}`);
    }
    this.#kinds[entry] = KINDS.indexOf(kind);
    this.#pointers[entry] = pointer;
    return entry;
  }

  /** For Handle. */
  leave(entry: number): void {
    this.#pointers[entry] = 0;
    this.#free.push(entry);
  }
}

/** An object that has to be freed. */
export class Handle<K extends Kind> {
  protected readonly objects: Objects;
  readonly #kind: K;
  #pointer: Pointer<K>;
  readonly #entry: number;

  constructor(objects: Objects, kind: K, pointer: Pointer<K>, what: string) {
    this.objects = objects;
    this.#kind = kind;
    this.#entry = objects.enter(kind, pointer, what);
    this.#pointer = pointer;
  }

  /** For one call. Throws an Error if the object was freed or passed on. */
  get pointer(): Pointer<K> {
    if (this.#pointer === NULL) throw new Error(`use of a freed ${this.#kind}`);
    return this.#pointer;
  }

  get isFreed(): boolean {
    return this.#pointer === NULL;
  }

  /** Has no effect the second time. */
  free(): void {
    if (this.#pointer !== NULL) freePointer(this.objects.openssl, this.#kind, this.release());
  }

  /**
   * Ends the ownership, because an OpenSSL function takes the object over. If that function fails,
   * the caller owns the object again.
   */
  release(): Pointer<K> {
    const { pointer } = this;
    this.#pointer = NULL;
    this.objects.leave(this.#entry);
    return pointer;
  }
}
