/**
 * What a scan of the server finds (as testssl.sh and SSL Labs look for it), by bytes that no
 * library of today would send: a ClientHello for each version and each suite that was ever
 * numbered, and what is answered to it. RFC 9325 (recommendations), RFC 8996 (TLS 1.0 and 1.1), RFC
 * 7465 (RC4), RFC 9113 appendix A.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dial, HOST, withServer } from '../server/rig.ts';

const test = suite('edge/http/tls/grade');

/** ECDHE with AEAD that we offer (profile.ts); those of RSA need a certificate with such a key. */
const ECDSA_SUITES = [0xc02b, 0xc02c, 0xcca9];
const TLS13_SUITES = [0x1301, 0x1302, 0x1303];
const SCSV_RENEGOTIATION = 0x00ff;
const FALLBACK_SCSV = 0x5600;
const ALERT = 21;
const HANDSHAKE = 22;

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);
const vector = (data: number, content: Buffer): Buffer => {
  const length = Buffer.alloc(data);
  length.writeUIntBE(content.length, 0, data);
  return Buffer.concat([length, content]);
};
const extension = (type: number, content: Buffer): Buffer => Buffer.concat([u16(type), vector(2, content)]);
const list16 = (values: readonly number[]): Buffer => vector(2, Buffer.concat(values.map(u16)));

/** ECDSA and RSA with SHA-256 and SHA-384, and with SHA-1. */
const SIGNATURES = [0x0403, 0x0503, 0x0804, 0x0401, 0x0203, 0x0201];
const X25519 = 29;
const X25519MLKEM768 = 0x11ec;

interface HelloOptions {
  /** Of the record and the message, as a client of before TLS 1.3 says it. */
  readonly version: number;
  readonly suites: readonly number[];
  readonly compressions?: readonly number[];
  /** supported_versions (RFC 8446 section 4.2.1). */
  readonly versions?: readonly number[];
  readonly groups?: readonly number[];
  readonly signatures?: readonly number[];
  readonly protocol: string;
}

function clientHello(options: HelloOptions): Buffer {
  const {
    version,
    suites,
    compressions = [0],
    versions,
    groups = [29, 23, 24],
    signatures = SIGNATURES,
    protocol,
  } = options;
  const extensions = [
    extension(0, vector(2, Buffer.concat([Buffer.of(0), vector(2, Buffer.from(HOST))]))),
    extension(10, list16(groups)),
    extension(11, Buffer.of(1, 0)),
    extension(13, list16(signatures)),
    extension(16, vector(2, vector(1, Buffer.from(protocol)))),
    ...(versions === undefined ? [] : [extension(43, vector(1, Buffer.concat(versions.map(u16))))]),
    ...(versions === undefined ? [] : [extension(51, vector(2, Buffer.alloc(0)))]),
  ];
  const body = Buffer.concat([
    u16(version),
    randomBytes(32),
    vector(1, Buffer.alloc(0)),
    list16(suites),
    vector(1, Buffer.from(compressions)),
    vector(2, Buffer.concat(extensions)),
  ]);
  return record(version, Buffer.concat([Buffer.of(1), vector(3, body)]));
}

const record = (version: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.of(HANDSHAKE), u16(Math.min(version, 0x0301)), vector(2, content)]);

interface Answer {
  readonly kind: 'hello' | 'alert' | 'nothing';
  /** Of a ServerHello. */
  readonly version: number;
  readonly suite: number;
  readonly compression: number;
  /** The group of a HelloRetryRequest; 0: none. */
  readonly group: number;
  /** Of an alert. */
  readonly description: number;
}

/** The first record that comes, or the end. */
async function ask(port: number, hello: Buffer): Promise<Answer> {
  const nothing = { version: 0, suite: 0, compression: 0, group: 0, description: 0 };
  const socket = await dial(port);
  try {
    socket.write(hello);
    let bytes = Buffer.alloc(0);
    while (bytes.length < 5 || bytes.length < 5 + bytes.readUInt16BE(3)) {
      const [part] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
      if (!Buffer.isBuffer(part)) return { ...nothing, kind: 'nothing' };
      bytes = Buffer.concat([bytes, part]);
    }
    if (bytes[0] === ALERT) return { ...nothing, kind: 'alert', description: bytes[6] };
    assert.equal([bytes[0], bytes[5]], [HANDSHAKE, 2], 'a ServerHello');
    const afterSession = 5 + 4 + 2 + 32 + 1 + bytes[5 + 4 + 2 + 32];
    return {
      ...nothing,
      kind: 'hello',
      version: bytes.readUInt16BE(9),
      suite: bytes.readUInt16BE(afterSession),
      compression: bytes[afterSession + 2],
      group: keyShareGroup(bytes.subarray(afterSession + 5, 5 + bytes.readUInt16BE(3))),
    };
  } finally {
    socket.destroy();
  }
}

/** `extensions` of a ServerHello, without their length. */
function keyShareGroup(extensions: Buffer): number {
  for (let at = 0; at + 4 <= extensions.length; at += 4 + extensions.readUInt16BE(at + 2))
    if (extensions.readUInt16BE(at) === 51) return extensions.readUInt16BE(at + 4);
  return 0;
}

/** OpenSSL has ML-KEM from version 3.5 on. */
const [major, minor] = process.versions.openssl.split('.').map(Number);
const hasHybrid = major > 3 || minor >= 5;

// edge/http/tls carries who offers h2, node:tls all others.
for (const protocol of ['h2', 'http/1.1'] as const) {
  test(`${protocol}: SSL 3, TLS 1.0 and TLS 1.1 are refused, whatever they offer`, async () => {
    await withServer(async ({ tlsPort }) => {
      const every = [...ECDSA_SUITES, 0xc009, 0xc00a, 0xc013, 0x002f, 0x0035, 0x000a, 0x0005, 0x0004];
      for (const version of [0x0300, 0x0301, 0x0302]) {
        const { kind, description } = await ask(tlsPort, clientHello({ version, suites: every, protocol }));
        // protocol_version; SSL 3 has only handshake_failure.
        assert.equal([kind, description], ['alert', version === 0x0300 ? 40 : 70], version.toString(16));
      }
      // SSL 2's ClientHello: no record of TLS.
      const ssl2 = Buffer.concat([Buffer.of(0x80, 0x1c, 1, 0, 2, 0, 3, 0, 0, 0, 16, 7, 0, 0xc0), randomBytes(16)]);
      assert.is.not((await ask(tlsPort, ssl2)).kind, 'hello');
    });
  });

  test(`${protocol}: of all registered suites, only those with forward secrecy and AEAD are accepted`, async () => {
    await withServer(async ({ tlsPort }) => {
      const taken = new Set<number>();
      // Offers all, without what was taken, until nothing is: then each by itself would be refused,
      // too.
      const numbered = [0x00, 0x13, 0xc0, 0xcc, 0xd0].flatMap((high) =>
        Array.from({ length: 256 }, (_, low) => (high << 8) | low),
      );
      let left = numbered.filter((figure) => figure !== SCSV_RENEGOTIATION);
      for (;;) {
        const answer = await ask(tlsPort, clientHello({ version: 0x0303, suites: left, protocol }));
        if (answer.kind !== 'hello') {
          assert.is(answer.description, 40, 'handshake_failure');
          break;
        }
        assert.is(answer.version, 0x0303);
        taken.add(answer.suite);
        left = left.filter((figure) => figure !== answer.suite);
      }
      assert.equal([...taken].sort(), ECDSA_SUITES);
      for (const figure of TLS13_SUITES) {
        const hello = { version: 0x0303, suites: [figure], versions: [0x0304], protocol };
        assert.is((await ask(tlsPort, clientHello(hello))).suite, figure);
      }
      // CCM, and integrity without secrecy (RFC 9150).
      for (const figure of [0x1304, 0x1305, 0xc0b4, 0xc0b5]) {
        const hello = { version: 0x0303, suites: [figure], versions: [0x0304], protocol };
        assert.is((await ask(tlsPort, clientHello(hello))).kind, 'alert', figure.toString(16));
      }
    });
  });

  test(`${protocol}: AES-128 is preferred, and ChaCha20 for clients that list it first`, async () => {
    await withServer(async ({ tlsPort }) => {
      const chosen = async (...suites: number[]): Promise<number> => {
        const versions = suites[0] < 0x2000 ? [0x0304] : undefined;
        return (await ask(tlsPort, clientHello({ version: 0x0303, suites, versions, protocol }))).suite;
      };
      assert.is(await chosen(0x1302, 0x1303, 0x1301), 0x1301);
      assert.is(await chosen(0x1303, 0x1302, 0x1301), 0x1303);
      assert.is(await chosen(0x1302, 0x1303), 0x1302);
      assert.is(await chosen(0xc02c, 0xcca9, 0xc02b), 0xc02b);
      assert.is(await chosen(0xcca9, 0xc02c, 0xc02b), 0xcca9);
    });
  });

  test(`${protocol}: signatures with SHA-1 and SHA-224 are not offered`, async () => {
    await withServer(async ({ tlsPort }) => {
      for (const signature of [0x0203, 0x0303, 0x0201, 0x0301]) {
        const hello = { version: 0x0303, suites: ECDSA_SUITES, signatures: [signature], protocol };
        const { kind, description } = await ask(tlsPort, clientHello(hello));
        assert.equal([kind, description], ['alert', 40], signature.toString(16));
      }
    });
  });

  test(`${protocol}: X25519MLKEM768 is agreed on where OpenSSL has it`, async () => {
    await withServer(async ({ tlsPort }) => {
      const hello = { version: 0x0303, suites: TLS13_SUITES, versions: [0x0304], protocol };
      // Without a key share, the server requests one for the group that it selects.
      const both = await ask(tlsPort, clientHello({ ...hello, groups: [X25519MLKEM768, X25519] }));
      assert.is(both.group, hasHybrid ? X25519MLKEM768 : X25519);
      assert.is((await ask(tlsPort, clientHello({ ...hello, groups: [X25519] }))).group, X25519);
      const alone = await ask(tlsPort, clientHello({ ...hello, groups: [X25519MLKEM768] }));
      assert.is(alone.kind, hasHybrid ? 'hello' : 'alert');
    });
  });

  test(`${protocol}: no compression, no group that is weak, no fallback`, async () => {
    await withServer(async ({ tlsPort }) => {
      const good = { version: 0x0303, suites: ECDSA_SUITES, protocol };
      const compressed = await ask(tlsPort, clientHello({ ...good, compressions: [1, 64, 0] }));
      assert.equal([compressed.kind, compressed.compression], ['hello', 0]);
      assert.is((await ask(tlsPort, clientHello({ ...good, compressions: [1] }))).kind, 'alert', 'RFC 5246 7.4.1.2');
      // sect163k1, secp160r1, secp192r1, secp224r1, and finite fields.
      for (const group of [1, 16, 19, 21, 256])
        assert.is((await ask(tlsPort, clientHello({ ...good, groups: [group] }))).kind, 'alert', `group ${group}`);
      // RFC 7507: a client that would speak TLS 1.3 says that it has fallen back.
      const fallen = await ask(tlsPort, clientHello({ ...good, suites: [...ECDSA_SUITES, FALLBACK_SCSV] }));
      assert.equal([fallen.kind, fallen.description], ['alert', 86], 'inappropriate_fallback');
    });
  });
}

test.run();
