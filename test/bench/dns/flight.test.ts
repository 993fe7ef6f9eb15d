import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Flight } from '../../../bench/dns/flight.ts';

test('an answer lands once', () => {
  const flight = new Flight();
  const id = flight.launch(7, 0);
  assert.is(flight.size, 1);
  assert.is(flight.land(id), 7);
  assert.is(flight.land(id), -1);
  assert.is(flight.size, 0);
  assert.is(flight.lost, 0);
});

test('an ID that was not given out is a stray', () => {
  const flight = new Flight();
  const id = flight.launch(7, 0);
  assert.is(flight.land((id + 1) & 0xffff), -1);
  assert.is(flight.size, 1);
});

test('queries older than the timeout are given up, younger ones are not', () => {
  const flight = new Flight();
  const old = flight.launch(1, 100);
  const answered = flight.launch(2, 100);
  const young = flight.launch(3, 200);
  flight.land(answered);
  flight.expire(200);
  assert.is(flight.lost, 1);
  assert.is(flight.land(old), -1);
  assert.is(flight.land(young), 3);
});

test('IDs wrap over a query that was never answered, which is then lost', () => {
  const flight = new Flight();
  const first = flight.launch(1, 0);
  for (let i = 0; i < 65_535; i++) flight.land(flight.launch(2, 1));
  assert.is(flight.lost, 1);
  assert.is(flight.size, 0);
  const again = flight.launch(3, 2);
  assert.is(again, first);
  assert.is(flight.land(again), 3);
  assert.is(flight.lost, 1);
});

test('a full turn in flight at one time keeps the oldest first', () => {
  const flight = new Flight();
  for (let i = 0; i < 65_536; i++) flight.launch(i, i < 10 ? 5 : 50);
  flight.launch(65_536, 60);
  assert.is(flight.lost, 2);
  flight.expire(50);
  assert.is(flight.lost, 10);
  assert.is(flight.land(10), 10);
  assert.is(flight.land(0), 65_536);
});

test.run();
