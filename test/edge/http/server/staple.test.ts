/** The OCSP response of a certificate reaches clients that request it, over both kinds of TLS. */
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TlsCertificate } from '../../../../edge/http/tls/certificate.ts';
import { HOST, PEM, RSA_PEM, withServer } from './rig.ts';

const test = suite('edge/http/server/staple');

/** Null: the server sent none. */
async function stapleOf(port: number, version: 'TLSv1.2' | 'TLSv1.3', sigalgs?: string): Promise<Buffer | null> {
  const socket: TLSSocket = connectTls({
    ...{ port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] },
    ...{ requestOCSP: true, minVersion: version, maxVersion: version, sigalgs },
  });
  let staple: Buffer | null = null;
  socket.on('OCSPResponse', (response: Buffer | null) => {
    staple = response === null ? null : Buffer.from(response);
  });
  await once(socket, 'secureConnect');
  socket.destroy();
  return staple;
}

for (const tls of ['auto', 'node'] as const) {
  test(`${tls}: a client that requests it gets the current response`, async () => {
    let staple: Uint8Array | undefined;
    let reads = 0;
    const certificate: TlsCertificate = {
      ...PEM,
      get staple() {
        reads++;
        return staple;
      },
    };
    const serve = async ({ tlsPort }: { readonly tlsPort: number }): Promise<void> => {
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        staple = undefined;
        assert.is(await stapleOf(tlsPort, version), null);
        for (const size of [1, 500, 16_000]) {
          staple = Buffer.alloc(size, version);
          assert.equal(await stapleOf(tlsPort, version), Buffer.alloc(size, version), `${version}, ${size} bytes`);
        }
      }
      assert.is(reads, 8);
    };
    await withServer(serve, { tls, certificate });
  });
}

for (const tls of ['auto', 'node'] as const)
  test(`${tls}: of two certificates, the response of the chosen one is sent`, async () => {
    const served: TlsCertificate = {
      ...{ ...PEM, staple: Buffer.from('of ECDSA') },
      alternative: { ...RSA_PEM, staple: Buffer.from('of RSA') },
    };
    await withServer(
      async ({ tlsPort }) => {
        for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
          assert.is(String(await stapleOf(tlsPort, version)), 'of ECDSA');
          assert.is(String(await stapleOf(tlsPort, version, 'rsa_pss_rsae_sha256:rsa_pkcs1_sha256')), 'of RSA');
        }
      },
      { tls, certificate: served },
    );
  });

test('a response that cannot be read does not fail the handshake', async () => {
  const certificate: TlsCertificate = {
    ...PEM,
    get staple(): Uint8Array {
      throw new Error('on purpose');
    },
  };
  await withServer(async ({ tlsPort }) => assert.is(await stapleOf(tlsPort, 'TLSv1.3'), null), { certificate });
});

test.run();
