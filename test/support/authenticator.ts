/** A software authenticator (WebAuthn Level 3, 6), including the client data of a browser. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };
/** COSE (RFC 9053): key type EC2, algorithm ES256, curve P-256. */
const [EC2, ES256, P256] = [2, -7, 1];

/** Deviations of a response from a valid one. */
export interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly isVerified?: boolean;
  readonly userHandle?: string;
  readonly format?: string;
  readonly statement?: Map<string, unknown>;
}

interface Creation {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface SignIn {
  readonly challenge: string;
  readonly rpId: string;
}

export class Authenticator {
  readonly credential = randomBytes(20).toString('base64url');
  readonly #key: KeyObject;
  readonly #cose: Buffer;
  readonly #origin: string;
  counter = 0;
  userHandle = '';

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const fields: [number, number | Uint8Array][] = [
      [1, EC2],
      [3, ES256],
      [-1, P256],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ];
    this.#key = privateKey;
    this.#cose = Buffer.from(isoCBOR.encode(new Map(fields) as never));
    this.#origin = origin;
  }

  /** The body of POST /api/v1/account/passkeys. */
  create({ challenge, rp, user }: Creation, name: string, deviations: Deviations = {}) {
    this.userHandle = user.id;
    const id = Buffer.from(this.credential, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.#cose]);
    const authData = new Uint8Array(Buffer.concat([this.#data(rp.id, FLAGS.attested, deviations), attested]));
    const { format = 'none', statement = new Map() } = deviations;
    const object = new Map<string, unknown>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    return {
      name,
      credential: this.credential,
      client_data: this.#clientData('webauthn.create', challenge, deviations).toString('base64url'),
      attestation: Buffer.from(isoCBOR.encode(object as never)).toString('base64url'),
      transports: ['internal', 'unheard-of'],
    };
  }

  /** The body of POST /api/v1/session/passkey. */
  signIn({ challenge, rpId }: SignIn, deviations: Deviations = {}) {
    this.counter++;
    const data = this.#data(rpId, 0, deviations);
    const clientData = this.#clientData('webauthn.get', challenge, deviations);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      credential: this.credential,
      client_data: clientData.toString('base64url'),
      authenticator_data: data.toString('base64url'),
      signature: sign('sha256', signed, this.#key).toString('base64url'),
      user_handle: deviations.userHandle ?? this.userHandle,
    };
  }

  #data(rpId: string, flags: number, deviations: Deviations): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(deviations.counter ?? this.counter);
    const verified = deviations.isVerified === false ? 0 : FLAGS.verified;
    const hash = createHash('sha256')
      .update(deviations.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, Buffer.of(FLAGS.present | verified | flags), counter]);
  }

  #clientData(type: string, challenge: string, deviations: Deviations): Buffer {
    const { origin = this.#origin } = deviations;
    return Buffer.from(
      JSON.stringify({ type: deviations.type ?? type, challenge: deviations.challenge ?? challenge, origin }),
    );
  }
}
