/** Scans for names without a certificate: nothing is kept of domains that need none any more. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Surveys } from '../../../../edge/certificates/acme/surveys.ts';

/** Scans that end when the test decides it. */
class Scans {
  readonly scanned: number[] = [];
  readonly surveys: Surveys;
  readonly #work: Promise<void>[] = [];
  #end: { resolve(names: string[]): void; reject(error: Error): void } | undefined;

  constructor() {
    this.surveys = new Surveys({
      survey: (id) => {
        this.scanned.push(id);
        return new Promise((resolve, reject) => {
          this.#end = { resolve, reject };
        });
      },
      surveyed: () => {},
      now: () => 1,
    });
  }

  begin(): void {
    this.surveys.begin(
      (work) => this.#work.push(work.catch(() => {})),
      () => 1,
    );
  }

  async end(result: string[] | Error): Promise<void> {
    if (result instanceof Error) this.#end?.reject(result);
    else this.#end?.resolve(result);
    await Promise.all(this.#work);
  }
}

test('the names that a scan finds are known until the domain is forgotten', async () => {
  const scans = new Scans();
  scans.surveys.put(7, 1);
  scans.begin();
  await scans.end(['www.example.com']);
  assert.equal(scans.surveys.uncoveredOf(7), ['www.example.com']);
  scans.surveys.forget(7);
  assert.equal(scans.surveys.uncoveredOf(7), []);
});

test('a domain that is deleted during its scan leaves nothing, whether the scan succeeds or fails', async () => {
  for (const result of [['www.example.com'], new Error('the store')]) {
    const scans = new Scans();
    scans.surveys.put(7, 1);
    scans.begin();
    scans.surveys.forget(7);
    await scans.end(result);
    assert.equal(scans.surveys.uncoveredOf(7), []);
    assert.ok(scans.surveys.isIdle);
    assert.is(scans.surveys.nextAt, Number.POSITIVE_INFINITY);
  }
});

test('a domain that changes and is deleted during its scan is not scanned again', async () => {
  const scans = new Scans();
  scans.surveys.put(7, 1);
  scans.begin();
  scans.surveys.put(7, 1);
  scans.surveys.forget(7);
  await scans.end([]);
  scans.begin();
  assert.equal(scans.scanned, [7]);
});

test('a domain that is enabled again during its scan is scanned again', async () => {
  const scans = new Scans();
  scans.surveys.put(7, 1);
  scans.begin();
  scans.surveys.forget(7);
  scans.surveys.put(7, 1);
  await scans.end([]);
  scans.begin();
  assert.equal(scans.scanned, [7, 7]);
});

test.run();
