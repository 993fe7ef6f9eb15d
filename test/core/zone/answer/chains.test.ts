/**
 * Chains that reach a record several times, compared with the reference: compiled, followed per
 * query, and for every type.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { APEX, inZone, NAMES, ZONE } from '../../../reference/chains.ts';
import { checkWorld, TCP_LIMIT } from '../../../reference/compare.ts';
import { InProcess } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery, type Message } from '../../../support/message.ts';

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

test('a chain that ends at a DNAME which it has passed fits into its own length', () => {
  const below = ['b', 'c', 'd'].map((letter) => letter.repeat(60)).join('.');
  const dname = (owner: string, target: string): ResourceRecord => {
    return { name: inZone(owner), type: TYPE.DNAME, ttl: 60, rdata: inZone(target) };
  };
  server.load(
    new Map([[nameId(APEX), [...ZONE.slice(0, 3), dname(`a.${below}`, `b.${below}`), dname(`b.${below}`, below)]]]),
  );
  const ask = (size: number): Uint8Array => {
    const edns = { version: 0, size, do: false };
    const query = { name: inZone(`a.a.${below}`), type: TYPE.DNAME, class: CLASS_IN, edns };
    return server.answer(encodeQuery(query, 1), size)!;
  };
  const whole = ask(4096);
  assert.equal(
    decodeMessage(whole).answer.map(({ type }) => type),
    [TYPE.DNAME, TYPE.CNAME, TYPE.DNAME, TYPE.CNAME],
  );
  assert.ok(whole.length > 512);
  assert.equal(decodeMessage(ask(whole.length)).answer, decodeMessage(whole).answer);
});

test('a chain of deep names ends at 1,024 labels, where resolvers go on', () => {
  const record = (owner: string, type: number, rdata: Uint8Array): ResourceRecord => {
    return { name: inZone(owner), type, ttl: 60, rdata };
  };
  const links = Array.from({ length: 10 }, (_, i) => record(`d${i}`, TYPE.DNAME, inZone(`d${i + 1}`)));
  server.load(
    new Map([[nameId(APEX), [...ZONE.slice(0, 3), ...links, record('*.d10', TYPE.A, Uint8Array.of(192, 0, 2, 8))]]]),
  );
  const ask = (labels: number): Message => {
    const name = inZone(`${'a.'.repeat(labels)}d0`);
    const query = { name, type: TYPE.A, class: CLASS_IN, edns: { version: 0, size: 4096, do: false } };
    return decodeMessage(server.answer(encodeQuery(query, 1), TCP_LIMIT)!);
  };
  const typesOf = ({ answer }: Message): number[] => answer.map(({ type }) => type);
  const link = [TYPE.DNAME, TYPE.CNAME];
  // With the three labels of d0.p.test: ten names of 102 labels are followed, and nine of 103.
  assert.equal(typesOf(ask(99)), [...new Array(10).fill(link).flat(), TYPE.A]);
  const ended = ask(101);
  assert.is(ended.rcode, RCODE.NOERROR);
  assert.equal(typesOf(ended), new Array(9).fill(link).flat());
});

test.run();
