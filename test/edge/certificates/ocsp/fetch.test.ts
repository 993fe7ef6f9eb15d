/** HTTP to a responder: to permitted addresses, bounded, without redirects. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OCSPRequest } from '@peculiar/asn1-ocsp';
import { AsnConvert } from '@peculiar/asn1-schema';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseExemptions } from '../../../../core/net/address/index.ts';
import { createFetchStatus } from '../../../../edge/certificates/ocsp/stapler.ts';
import { readTarget } from '../../../../edge/certificates/ocsp/status.ts';
import { createOriginClient } from '../../../../edge/origin/client.ts';
import { chainWith, response } from './responder.ts';

const test = suite('edge/certificates/ocsp/fetch');
const never = new AbortController().signal;

/** Empty: a response that may be sent. */
async function outcomeOf(answer: RequestListener, path = '/', exempt: readonly string[] = ['127.0.0.0/8']) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const client = createOriginClient({ exemptions: parseExemptions(exempt) });
  try {
    await createFetchStatus(client.fetch)(readTarget(chainWith(`http://127.0.0.1:${port}${path}`)), never);
    return '';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.close();
    server.close();
    server.closeAllConnections();
  }
}

test('the request is in the path, behind that of the responder', async () => {
  for (const path of ['', '/', '/a/b', '/a/b/']) {
    let url = '';
    const answer: RequestListener = (request, reply) => {
      url = request.url ?? '';
      // Of another certificate than this test's.
      reply.end(response());
    };
    assert.match(await outcomeOf(answer, path), /another certificate/);
    const at = url.lastIndexOf('/');
    assert.is(url.slice(0, at), path.replace(/\/$/, ''));
    const { tbsRequest } = AsnConvert.parse(Buffer.from(decodeURIComponent(url.slice(at + 1)), 'base64'), OCSPRequest);
    assert.is(tbsRequest.requestList.length, 1);
  }
});

test('an address that is not public is not connected to', async () => {
  const outcome = await outcomeOf((_, reply) => reply.end(), '/', []);
  assert.match(outcome, /no address that may be connected to: 127\.0\.0\.1/);
});

test('other answers than 200, large ones and URLs with a query are rejected', async () => {
  const redirect: RequestListener = (_, reply) => reply.writeHead(302, { location: 'http://127.0.0.1/' }).end();
  assert.match(await outcomeOf(redirect), /status 302/);
  assert.match(await outcomeOf((_, reply) => reply.writeHead(500).end()), /status 500/);
  assert.match(await outcomeOf((_, reply) => reply.end(Buffer.alloc(16_385))), /exceeds 16384 bytes/);
  assert.match(await outcomeOf((_, reply) => reply.end('<html>')), /malformed/);
  assert.match(await outcomeOf((_, reply) => reply.end(), '/?a=b'), /query/);
});

test.run();
