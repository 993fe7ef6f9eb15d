/** Whether each node serves every acknowledged write. */
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { queryAll, UdpClient } from '../../test/support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../test/support/message.ts';
import { addressOf, labelOf, type Written } from './writes.ts';

const PIECE = 10_000;

/** The numbers of those that the node does not serve. `domains`: names, in their order. */
export async function missingAt(
  port: number,
  domains: readonly string[],
  written: readonly Written[],
): Promise<number[]> {
  const client = await UdpClient.connect(port);
  const missing: number[] = [];
  for (let from = 0; from < written.length; from += PIECE) {
    const piece = written.slice(from, from + PIECE);
    const packets = piece.map(({ number, domain }, i) =>
      encodeQuery({ name: parseName(`${labelOf(number)}.${domains[domain]}.`), type: TYPE.A, class: 1 }, i),
    );
    const responses = await queryAll(client, packets);
    piece.forEach(({ number }, i) => {
      const response = responses[i];
      const [answer] = response === null ? [] : decodeMessage(response).answer;
      if (answer === undefined || answer.rdata.join('.') !== addressOf(number)) missing.push(number);
    });
  }
  client.close();
  return missing;
}
