/** Texts for the entries of the audit log. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TEXTS } from '../../../admin-api/dashboard/texts.ts';
import { ACTIONS } from '../contract/actions.ts';

test('each action of an endpoint has a text', () => {
  const isMissing = (action: string) => TEXTS.actions[action] === undefined || TEXTS.did[action] === undefined;
  const missing = Object.values(ACTIONS).filter(isMissing);
  assert.equal(missing, []);
});

test.run();
