/**
 * Chains that reach a record several times, compared with the reference: compiled, followed per
 * query, and for every type.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nameId, parseName } from '../../../core/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/wire/types.ts';
import { APEX, inZone, NAMES, ZONE } from '../../reference/chains.ts';
import { checkWorld } from '../../reference/compare.ts';
import { InProcess } from '../../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';

const server = new InProcess();
const zones = new Map([[nameId(APEX), ZONE]]);
server.load(zones);

test('the answers equal those of the reference', () => {
  const edns = { version: 0, size: 4096, do: false };
  const queries = Object.keys(NAMES).flatMap((owner) =>
    [TYPE.A, TYPE.TXT, TYPE.CNAME, TYPE.DNAME, TYPE.DS, TYPE.ANY].map((type) => {
      return { name: inZone(owner), type, class: CLASS_IN, edns };
    }),
  );
  checkWorld(server.answer, { origin: parseName('test.'), zones }, queries);
});

test('the response codes equal those of BIND and Knot', () => {
  for (const [owner, code] of Object.entries(NAMES)) {
    const query = { name: inZone(owner), type: TYPE.A, class: CLASS_IN, edns: { version: 0, size: 4096, do: false } };
    const response = server.answer(encodeQuery(query, 1), 4096);
    assert.is(response === null ? -1 : decodeMessage(response).rcode, code === 'loop' ? 0 : code, owner);
  }
});

test.run();
