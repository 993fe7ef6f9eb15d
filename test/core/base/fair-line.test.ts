/** Lines that are linked through their items, next to plain lists. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FairLine, type InLine, Line } from '../../../core/base/fair-queue.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';

class Item implements InLine {
  line: object | null = null;
  before: InLine | null = null;
  after: InLine | null = null;
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Who has items, in the order of their turns; and all items, in the order of their coming. */
class Reference {
  turns: string[] = [];
  entries: { readonly item: Item; readonly owner: string }[] = [];

  put(item: Item, owner: string): void {
    this.entries.push({ item, owner });
    if (!this.turns.includes(owner)) this.turns.push(owner);
  }

  remove(item: Item): boolean {
    const found = this.entries.find((entry) => entry.item === item);
    this.entries = this.entries.filter((entry) => entry !== found);
    this.turns = this.turns.filter((owner) => this.hasItemOf(owner));
    return found !== undefined;
  }

  take(mayTake: (owner: string) => boolean): Item | undefined {
    const turn = this.turns.find(mayTake);
    const found = this.entries.find(({ owner }) => owner === turn);
    if (turn === undefined || found === undefined) return undefined;
    this.turns = [...this.turns.filter((owner) => owner !== turn), turn];
    this.remove(found.item);
    return found.item;
  }

  takeWhile(isDue: (item: Item) => boolean): Item[] {
    const due = this.turns.flatMap((turn) => {
      const items = this.entries.filter(({ owner }) => owner === turn).map(({ item }) => item);
      const end = items.findIndex((item) => !isDue(item));
      return end < 0 ? items : items.slice(0, end);
    });
    for (const item of due) this.remove(item);
    return due;
  }

  hasItemOf(owner: string): boolean {
    return this.entries.some((entry) => entry.owner === owner);
  }
}

const OWNERS = ['a', 'b', 'c'];
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), owner: fc.constantFrom(...OWNERS) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('take' as const), but: fc.constantFrom('', ...OWNERS) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('due' as const), until: fc.nat(40) }) },
);

test('owners take turns, and a removed item keeps no reference to the next one', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const line = new FairLine<Item>();
      const reference = new Reference();
      const items: Item[] = [];
      const gone = new Set<Item>();
      for (const step of operations) {
        if (step.kind === 'put') {
          const item = new Item(items.length);
          items.push(item);
          line.put(item, step.owner);
          reference.put(item, step.owner);
        } else if (step.kind === 'take') {
          const mayTake = (owner: string): boolean => owner !== step.but;
          const item = line.take(mayTake);
          assert.is(item, reference.take(mayTake));
          if (item !== undefined) gone.add(item);
        } else if (step.kind === 'remove') {
          const item = items[step.at] ?? new Item(-1);
          assert.is(line.remove(item), reference.remove(item));
          gone.add(item);
        } else {
          const isDue = ({ value }: Item): boolean => value < step.until;
          const due = line.takeWhile(isDue);
          assert.equal(due, reference.takeWhile(isDue));
          for (const item of due) gone.add(item);
        }
        assert.is(line.size, reference.entries.length);
        for (const owner of OWNERS) assert.is(line.hasItemOf(owner), reference.hasItemOf(owner));
        for (const { line: own, before, after } of gone) assert.equal([own, before, after], [null, null, null]);
      }
      assert.equal(
        line.clear(),
        reference.takeWhile(() => true),
      );
      assert.is(line.size, 0);
    }),
    { numRuns: depth({ quick: 150, moderate: 1500, full: 20000 }) },
  );
});

test('an item is removed from its own line only', () => {
  const [line, other] = [new Line<Item>(), new Line<Item>()];
  const [first, second, third] = [new Item(1), new Item(2), new Item(3)];
  for (const item of [first, second, third]) line.put(item);
  assert.not(other.remove(second));
  assert.ok(line.remove(second));
  assert.not(line.remove(second));
  other.put(second);
  assert.equal([line.size, line.first, other.take(), other.take()], [2, first, second, null]);
  assert.equal([line.take(), line.take(), line.take(), line.size], [first, third, null, 0]);
});

test.run();
