/** The ring of samples between a DNS thread and the statistics thread. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import {
  createSampleRing,
  type Sample,
  SampleReader,
  SampleWriter,
} from '../../../../core/observe/statistics/sample-ring.ts';
import { encodeQuery } from '../../../support/message.ts';

const HEADER = 12;
const APEX = parseName('example.test.');
const CAPACITY = 4096;

function openRing(every: number) {
  const ring = createSampleRing(every);
  const writer = new SampleWriter(ring, 4711);
  const reader = new SampleReader(ring);
  const offer = (name: string, type = 1, rcode = 0, zoneLength = APEX.length): void => {
    const wire = parseName(name);
    const packet = encodeQuery({ name: wire, type, class: 1 }, 1);
    writer.offer(packet, 0, { type, rcode, nameEnd: HEADER + wire.length, zoneLength });
  };
  const drain = (): Sample[] => {
    const samples: Sample[] = [];
    reader.drain((sample) => samples.push(sample));
    return samples;
  };
  return { offer, drain, reader };
}

const test = suite('sample ring');

test('a sample has type, code, the labels above the apex, and the apex, in lower case', () => {
  const { offer, drain } = openRing(1);
  offer('WwW.Example.Test.', 28, 3);
  offer('example.test.', 257, 0);
  const apex = '\x07example\x04test\0';
  assert.equal(drain(), [
    { type: 28, rcode: 3, weight: 1, labels: '\x03www', apex },
    { type: 257, rcode: 0, weight: 1, labels: '', apex },
  ]);
  assert.equal(drain(), []);
});

test('queries outside of all zones are no samples', () => {
  const { offer, drain } = openRing(1);
  offer('example.org.', 1, 5, 0);
  assert.equal(drain(), []);
});

test('a full ring drops samples and counts them, and goes on when it was read', () => {
  const { offer, drain, reader } = openRing(1);
  for (let i = 0; i < CAPACITY + 10; i++) offer('a.example.test.');
  assert.is(reader.dropped, 10);
  assert.is(drain().length, CAPACITY);
  for (let i = 0; i < 3 * CAPACITY; i += 4) {
    for (let k = 0; k < 4; k++) offer(`n${k}.example.test.`, k);
    assert.equal(
      drain().map(({ type }) => type),
      [0, 1, 2, 3],
    );
  }
  assert.is(reader.dropped, 10);
});

test('every query of a quiet zone counts, and a busy zone is estimated', () => {
  const { offer, drain, reader } = openRing(64);
  const sum = (samples: readonly Sample[], zone: string): number =>
    samples.reduce((all, { apex, weight }) => (apex.includes(zone) ? all + weight : all), 0);
  let busy = 0;
  let quiet = 0;
  for (let period = 0; period < 100; period++) {
    for (let i = 0; i < 640; i++) {
      offer('a.example.test.');
      if (i % 128 === 5) offer('b.quiet.test.', 1, 0, parseName('quiet.test.').length);
    }
    const samples = drain();
    busy += sum(samples, 'example');
    quiet += sum(samples, 'quiet');
    reader.startPeriod();
  }
  assert.is(quiet, 500);
  // The seed is fixed. The standard deviation of 1,000 gaps is 1.8 percent.
  assert.ok(busy > 60_000 && busy < 68_000, String(busy));
});

test('the exact queries of a period have a limit over all zones', () => {
  const { offer, drain, reader } = openRing(1_000_000);
  for (const begun of [false, true]) {
    if (begun) reader.startPeriod();
    for (let i = 0; i < 3000; i++) {
      const zone = `z${i}.test.`;
      offer(zone, 1, 0, parseName(zone).length);
    }
    assert.is(drain().length, 1024);
  }
});

test('one query in 64 of a busy zone is a sample, on average', () => {
  const { offer, drain } = openRing(64);
  let samples = 0;
  for (let i = 0; i < 64_000; i++) {
    offer('a.example.test.');
    if (i % 10_000 === 0) samples += drain().length;
  }
  samples += drain().length;
  // The seed is fixed. The standard deviation of 1,000 gaps is 1.8 percent.
  assert.ok(samples > 940 && samples < 1060, String(samples));
});

test.run();
