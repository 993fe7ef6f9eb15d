/**
 * What goes with SVCB and HTTPS compared with BIND, which sends more than Knot and NSD do: a
 * target's alias, and, in AliasMode, its own records. Only there we add the target's own addresses,
 * too, which BIND leaves out when it has such records.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../core/dns/wire/name.ts';
import { CLASS_IN } from '../../../core/dns/wire/types.ts';
import { APEX, inZone, SERVICES, ZONE } from '../../reference/services.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { startPeer, whyNot } from './servers.ts';

/** The target's own addresses, next to its own records. */
const OURS_ALONE: ReadonlySet<string> = new Set(['alt HTTPS t A', 'altc HTTPS t A']);

async function agree(): Promise<void> {
  const peer = await startPeer('bind', [ZONE], undefined, true);
  const client = await UdpClient.connect(peer.port);
  try {
    const edns = { version: 0, size: 4096, do: false };
    for (const [question, expected] of Object.entries(SERVICES)) {
      const [owner, type] = question.split(' ');
      const query = { name: inZone(owner), type: parseType(type)!, class: CLASS_IN, edns };
      const response = await client.query(encodeQuery(query, 1));
      if (response === null) throw new Error(`BIND is silent on ${question}`);
      const theirs = decodeMessage(response).additional.map((record) => {
        return `${formatRelative(record.name, APEX)} ${typeName(record.type)}`;
      });
      const ours = expected.filter((set) => !OURS_ALONE.has(`${question} ${set}`));
      assert.equal([...new Set(theirs)].sort(), [...ours].sort(), question);
    }
  } finally {
    client.close();
    await peer.stop();
  }
}

const missing = whyNot('bind');
if (missing === null) test('additional records of SVCB and HTTPS are those of BIND', agree);
else console.log(`Skipped: what goes with SVCB and HTTPS is not compared with BIND: ${missing}.`);

test.run();
