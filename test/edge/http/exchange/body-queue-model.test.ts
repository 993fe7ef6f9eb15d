/**
 * Whatever is brought, asked for and ended in whatever order, also within the queue's own calls: a
 * body's bytes go out once and in order, and each is accounted for.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyQueue } from '../../../../edge/http/exchange/body-queue.ts';
import { AbortError, type BodyFlow, type BodySink } from '../../../../edge/http/exchange/exchange.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const CASES = depth({ quick: 2000, moderate: 5000, full: 100_000 });

type Act =
  | { readonly kind: 'push' | 'lend'; readonly bytes: number }
  | { readonly kind: 'finish' | 'discard' | 'fail' | 'resume' };
type Step =
  | Act
  | { readonly kind: 'read' }
  | { readonly kind: 'flow' }
  | { readonly kind: 'sink'; readonly takesMore: boolean }
  /** Happens within the next call of the source's onTaken, or of the sink's onPart. */
  | { readonly kind: 'within'; readonly call: 'onTaken' | 'onPart'; readonly act: Act };

const bring = fc.record({
  kind: fc.constantFrom('push' as const, 'lend' as const),
  bytes: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1500 })),
});
const kindOf = <T extends string>(...kinds: T[]) => fc.record({ kind: fc.constantFrom(...kinds) });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: bring },
  { weight: 1, arbitrary: kindOf('finish', 'discard', 'fail') },
);
const steps = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 10, arbitrary: bring },
    { weight: 5, arbitrary: kindOf('read', 'resume') },
    { weight: 2, arbitrary: kindOf('flow') },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('sink' as const), takesMore: fc.boolean() }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('within' as const),
        call: fc.constantFrom('onTaken' as const, 'onPart' as const),
        act,
      }),
    },
    { weight: 1, arbitrary: kindOf('finish', 'discard', 'fail') },
  ),
  { maxLength: 40 },
);

/** The model is three counts, since byte n of a body says n, and how it ended. */
class Play implements BodySink {
  readonly queue = new BodyQueue(
    {
      onFirstRead: () => {},
      onTaken: (data) => {
        this.#taken += data;
        this.#within('onTaken');
      },
    },
    undefined,
  );
  readonly #due = { onTaken: [] as Act[], onPart: [] as Act[] };
  #accepted = 0;
  #given = 0;
  #dropped = 0;
  #end: 'none' | 'whole' | 'discarded' | 'failed' = 'none';
  /**
   * Bytes that were reported to the source, arrived too late to be accepted, or were there when it
   * failed, of which it is not informed.
   */
  #taken = 0;
  #late = 0;
  #lost = 0;
  #flow: BodyFlow | undefined;
  #isFlowing = false;
  #isReading = false;
  #takesMore = true;
  #isHeld = false;
  #overs = 0;

  get #waiting(): number {
    return this.#accepted - this.#given - this.#dropped;
  }

  #bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, (_, i) => (this.#accepted + i) % 251));
  }

  /** What was read is reported later than it is taken: only more may come in between. */
  #within(call: 'onTaken' | 'onPart'): void {
    const [step] = this.#due[call];
    if (step === undefined || (!this.#isFlowing && step.kind !== 'push' && step.kind !== 'lend')) return;
    this.#due[call].shift();
    this.act(step);
  }

  #gets(part: Uint8Array): void {
    assert.ok(part.length > 0);
    for (const byte of part) assert.is(byte, this.#given++ % 251);
    assert.ok(this.#given <= this.#accepted);
  }

  onPart(part: Uint8Array): boolean {
    assert.not(this.#isHeld);
    assert.is(this.#overs, 0);
    this.#gets(part);
    const takesMore = this.#takesMore;
    // It is not held before it has said so.
    this.#within('onPart');
    if (!takesMore) this.#isHeld = true;
    return takesMore;
  }

  onOver(error: Error | null): void {
    assert.is(++this.#overs, 1);
    if (error === null) assert.ok(this.#end === 'discarded' || (this.#end === 'whole' && this.#waiting === 0));
    else assert.ok(error instanceof AbortError && this.#end === 'failed');
  }

  act(step: Act): void {
    const { queue } = this;
    if (step.kind === 'push' || step.kind === 'lend') {
      const bytes = this.#bytes(step.bytes);
      if (this.#end === 'none') this.#accepted += step.bytes;
      else this.#late += step.bytes;
      if (step.kind === 'push') queue.push(bytes);
      else {
        queue.lend(bytes);
        bytes.fill(255);
      }
    } else if (step.kind === 'finish') {
      if (this.#end === 'none') this.#end = 'whole';
      queue.finish();
    } else if (step.kind === 'resume') {
      this.#isHeld = false;
      this.#flow?.resume();
    } else {
      const isDropped =
        this.#end === 'none' || (this.#end === 'whole' && (step.kind === 'discard' || this.#waiting > 0));
      if (isDropped) {
        if (step.kind === 'fail') this.#lost += this.#waiting;
        this.#dropped += this.#waiting;
        this.#end = step.kind === 'fail' ? 'failed' : 'discarded';
      }
      if (step.kind === 'fail') queue.fail('client');
      else queue.discard();
    }
  }

  step(step: Step): void {
    if (step.kind === 'within') this.#due[step.call].push(step.act);
    else if (step.kind === 'sink') this.#takesMore = step.takesMore;
    else if (step.kind === 'read') this.#read();
    else if (step.kind === 'flow') this.#flows();
    else this.act(step);
  }

  #flows(): void {
    if (this.#isReading || this.#isFlowing) return;
    this.#isFlowing = true;
    this.#flow = this.queue.flow(this);
  }

  #read(): void {
    if (this.#isReading || this.#isFlowing) return;
    this.#isReading = true;
    void this.queue.read().then(
      (part) => {
        this.#isReading = false;
        if (part !== null) this.#gets(part);
        else assert.ok(this.#end === 'discarded' || (this.#end === 'whole' && this.#waiting === 0));
      },
      (error: unknown) => {
        this.#isReading = false;
        assert.ok(error instanceof AbortError && this.#end === 'failed');
      },
    );
  }

  check(): void {
    const { queue } = this;
    assert.is(queue.buffered, this.#waiting);
    assert.is(queue.received, this.#accepted + this.#late);
    assert.is(this.#taken + queue.buffered + this.#lost, queue.received);
    if (!this.#isFlowing || this.#isHeld) return;
    assert.is(queue.buffered, 0);
    assert.is(this.#overs, this.#end === 'none' ? 0 : 1);
  }
}

test('a queue delivers generated bodies as the model does', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const play = new Play();
      const end: Step[] = [{ kind: 'sink', takesMore: true }, { kind: 'finish' }, { kind: 'flow' }, { kind: 'resume' }];
      for (const step of [...list, ...end]) {
        play.step(step);
        // A read that was answered is reported.
        await new Promise<void>((done) => queueMicrotask(done));
        play.check();
      }
    }),
    { numRuns: CASES / 4 },
  );
});

test.run();
