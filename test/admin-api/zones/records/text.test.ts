/** Compares the JSON of a list with the objects of single records. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecordSerializer } from '../../../../admin-api/zones/records/text.ts';
import { viewRecord } from '../../../../admin-api/zones/records/view.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { joinNames, MAX_NAME, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { RDATA_TABLE } from '../../../../core/dns/wire/rdata/table.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { type Domain, PRIMARY, type RecordRow, records } from '../../../../core/store/rows.ts';
import type { AliasState } from '../../../../core/upkeep/alias/index.ts';
import { anyName } from '../../../core/dns/wire/arbitrary.ts';
import fc from '../../../support/fc.ts';

const APEX = parseName('example.com.');
const DOMAIN: Domain = { id: 1234, accountId: 170, apex: APEX, createdAt: 0, kept: null, ...PRIMARY };

const KNOWN: AliasState = { status: 'stale', addresses: ['192.0.2.1', '2001:db8::1'], checkedAt: 1, error: 'A: "x"' };

const WARNING = { code: 'no_served_address', message: 'The target x" has none.' } as const;

const below = (name: Name): Name => joinNames(name.subarray(0, name.length - 1), APEX);
const owner = fc.oneof(
  fc
    .constantFrom('@', 'www', 'a.b.c', '*', '_sip._tcp', '*.x', 'a\\.b', 'q\\"', '\\\\', '\\000', '\\195\\188')
    .map((text) => (text === '@' ? APEX : parseName(text, APEX))),
  anyName.map(below).filter((name) => name.length <= MAX_NAME),
);
/** One example per type; further ones as text. */
const examples = [...RDATA_TABLE.values()].flatMap(({ type, example }) => {
  try {
    return [{ type, rdata: parseRdata(type, example, APEX) }];
  } catch (error) {
    if (error instanceof InvalidError) return [];
    throw error;
  }
});
const rdata = fc.oneof(
  fc.constantFrom(...examples),
  fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => ({ type: 1, rdata: bytes })),
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => ({ type: 28, rdata: bytes })),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ type: 65_280, rdata: bytes })),
  fc
    .array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 4 })
    .map((strings) => ({ type: 16, rdata: Buffer.concat(strings.map((text) => Buffer.of(text.length, ...text))) })),
);

test('most types have an example', () => {
  assert.ok(examples.length > 12);
});

test('a record in a list equals the single record', () => {
  let comment: string | null = null;
  let ptr = false;
  const targets = {
    mayWarn: (type: number) => type === TYPE.ALIAS || type === TYPE.CNAME,
    find: ({ proxied }: { proxied: boolean | null }) => (proxied === true ? WARNING : null),
  };
  const texts = new RecordSerializer(
    DOMAIN,
    { of: () => KNOWN },
    targets,
    () => comment,
    () => ptr,
  );
  fc.assert(
    fc.property(
      owner,
      rdata,
      fc.constantFrom(null, true, false),
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 2 ** 33 }),
      fc.option(fc.string()),
      (name, { type, rdata: bytes }, proxied, ttl, id, createdAt, anyComment) => {
        comment = anyComment;
        ptr = id % 2 === 0;
        const row: RecordRow = {
          id,
          domainId: DOMAIN.id,
          name,
          type,
          ttl,
          rdata: bytes,
          proxied,
          createdAt,
          updatedAt: createdAt + 1,
        };
        const text = texts.serialize({ key: records.key(row), value: records.encode(row) });
        const warning = targets.mayWarn(type) ? targets.find(row) : null;
        const state = type === TYPE.ALIAS ? KNOWN : undefined;
        assert.is(text, JSON.stringify(viewRecord(DOMAIN, row, comment, ptr, state, warning)));
      },
    ),
    { numRuns: 5000 },
  );
});

test.run();
