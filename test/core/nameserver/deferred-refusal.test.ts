/** Deferred messages that the DNS threads refuse themselves. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { signRequest } from '../../../core/dns/wire/tsig.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage } from '../../support/message.ts';
import { ask, type Served, serve, TRANSPORTS } from './fixture.ts';
import { framed, StreamClient } from './stream-client.ts';

const AXFR = ask('@', { type: TYPE.AXFR, id: 77 });
const WITH_OPT = ask('@', { type: TYPE.AXFR, id: 78, edns: 1232 });
const KEY = { name: parseName('key.'), algorithm: 'hmac-sha256', secret: new Uint8Array(32) } as const;
const SIGNED = signRequest(AXFR, KEY, 1_700_000_000).message;
/** INFO-CODE 18 (RFC 8914 4.19) at the end of OPT. */
const PROHIBITED = [0, 15, 0, 2, 0, 18];

for (const transport of TRANSPORTS) {
  const test = suite<{ served: Served }>(`refused deferred messages, ${transport}`);
  let deferredCount = 0;

  const start = (transferAllow?: readonly string[]): Promise<Served> =>
    serve({
      transport,
      transferAllow,
      async *answerDeferred({ message }) {
        deferredCount++;
        const response = message.slice(0, 12);
        response[2] |= 0x80;
        response.fill(0, 4, 12);
        yield response;
      },
    });

  /** The response over UDP, followed by the response over TCP. */
  async function queryBoth({ port }: Served, message: Uint8Array): Promise<Uint8Array[]> {
    const udp = await UdpClient.connect(port);
    const tcp = new StreamClient(port);
    try {
      tcp.socket.write(framed(message));
      const [overTcp] = await tcp.answers(1);
      return [(await udp.query(message))!, overTcp];
    } finally {
      udp.close();
      tcp.socket.destroy();
    }
  }

  test('unsigned transfers from an address that is not allowed are refused', async () => {
    const served = await start(['192.0.2.0/24', '::1']);
    deferredCount = 0;
    try {
      for (const message of [AXFR, WITH_OPT])
        for (const response of await queryBoth(served, message)) {
          const { rcode, question, answer } = decodeMessage(response);
          assert.equal([rcode, [...question], answer.length], [RCODE.REFUSED, [...AXFR.slice(12)], 0]);
          if (message === WITH_OPT) assert.equal([...response.slice(-PROHIBITED.length)], PROHIBITED);
        }
      assert.is(deferredCount, 0);
      for (const response of await queryBoth(served, SIGNED)) assert.is(decodeMessage(response).rcode, RCODE.NOERROR);
      assert.is(deferredCount, 2, 'signed messages reach the main thread');
      // An unsigned message after a signed one.
      await queryBoth(served, AXFR);
      assert.is(deferredCount, 2);
    } finally {
      await served.stop();
    }
  });

  test('transfers from an allowed address reach the main thread, and all transfers without a list', async () => {
    for (const list of [['127.0.0.0/8'], undefined]) {
      const served = await start(list);
      deferredCount = 0;
      try {
        for (const response of await queryBoth(served, AXFR)) assert.is(decodeMessage(response).rcode, RCODE.NOERROR);
        assert.is(deferredCount, 2);
      } finally {
        await served.stop();
      }
    }
  });

  test.run();
}
