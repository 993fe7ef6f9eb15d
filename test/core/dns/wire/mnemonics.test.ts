import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isDataType, parseType, typeName } from '../../../../core/dns/wire/mnemonics.ts';

test('mnemonics and TYPEn, in any case', () => {
  const cases: [string, number | undefined][] = [
    ['A', 1],
    ['aaaa', 28],
    ['Caa', 257],
    ['NSAP-PTR', 23],
    ['DLV', 32769],
    ['TYPE1', 1],
    ['type65280', 65280],
    ['TYPE0', 0],
    ['TYPE65535', 65535],
    ['TYPE65536', undefined],
    ['TYPE01', 1],
    ['TYPE000001', undefined],
    ['TYPE', undefined],
    ['TYPE1x', undefined],
    ['TYPE-1', undefined],
    ['-', undefined],
    ['', undefined],
    ['B', undefined],
    ['A '.repeat(1000), undefined],
  ];
  for (const [text, type] of cases) assert.is(parseType(text), type, text);
});

test('every number has a name that is read back', () => {
  for (let type = 0; type <= 65535; type++) assert.is(parseType(typeName(type)), type);
  assert.is(typeName(65280), 'TYPE65280');
  assert.is(typeName(54), 'TYPE54');
});

test('zones hold no query or meta types', () => {
  for (const type of [0, 41, 128, 249, 251, 252, 255]) assert.not(isDataType(type), typeName(type));
  for (const type of [1, 6, 127, 256, 257, 65280, 65535]) assert.ok(isDataType(type), typeName(type));
});

test.run();
