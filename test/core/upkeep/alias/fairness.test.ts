/** One account with many targets that never answer, and another with one. */

import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../../core/dns/wire/name.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { Outcome } from '../../../../core/net/resolver/message.ts';
import { domains, records } from '../../../../core/store/rows.ts';
import { newId } from '../../../support/ids.ts';
import { newDomain } from '../../journal/fixture.ts';
import { recordOf, withAlias } from './fixture.ts';

const MANY = 400;
/** Turns of the event loop after which nothing more begins by itself. */
const TURNS = 100;

for (const isShared of [false, true])
  test(`an account with one target gets the next slot${isShared ? ', also if accounts with many share it' : ''}`, async () => {
    const questions: string[] = [];
    const ends: ((outcome: Outcome) => void)[] = [];
    const lookup = (name: Uint8Array): Promise<Outcome> => {
      questions.push(formatName(name));
      return new Promise((end) => ends.push(end));
    };
    await withAlias(
      async ({ store: { environment, journal } }) => {
        const settle = async (): Promise<void> => {
          for (let i = 0; i < TURNS; i++) await turn();
        };
        await write(environment, journal, 'test', (draft) => {
          const many = newDomain('many.test');
          draft.put(domains, many);
          for (let i = 0; i < MANY; i++)
            draft.insert(records, { ...recordOf(many, `w${i} ALIAS dead${i}.example.`), id: newId() });
          if (isShared) draft.insert(records, { ...recordOf(many, '@ ALIAS alive.example.'), id: newId() });
        });
        await settle();
        const begun = questions.length;
        assert.ok(begun > 0 && begun < 2 * MANY, `${begun} queries are under way`);
        await write(environment, journal, 'test', (draft) => {
          const other = { ...newDomain('one.test'), accountId: 15 };
          draft.put(domains, other);
          draft.put(records, recordOf(other, '@ ALIAS alive.example.'));
        });
        await settle();
        assert.is(questions.length, begun, 'all slots are taken');
        // Two looks, since the turn may be that of the many.
        for (const end of ends.slice(0, 4)) end({ kind: 'failed', error: 'no answer' });
        await settle();
        assert.ok(questions.slice(begun).includes('alive.example.'), questions.slice(begun).join(' '));
      },
      { lookup },
    );
  });

test.run();
