/** docs/operations.md against the log calls of the sources. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPage } from './pages.ts';
import { HEADING, REASONS_HEADING, reasonsOfSources, warningsOfPage, warningsOfSources } from './warnings.ts';

const none = (faults: readonly string[], title: string): void =>
  assert.is(faults.length, 0, `${title}:\n  ${faults.join('\n  ')}`);

test('docs/operations.md explains every warning and error of the log, and no other', () => {
  const { warnings, unknown, unused } = warningsOfSources();
  const explained = warningsOfPage(readPage('docs/operations.md'));
  const isIn = (list: readonly { message: string }[], message: string): boolean =>
    list.some((item) => item.message === message);
  none(unused, 'no source has such calls any more: correct CALLS in test/check/docs/warnings.ts');
  none(
    warnings
      .filter(({ message }) => !isIn(explained, message))
      .map(({ message, location }) => `- \`${message}\`: …   (${location})`),
    `add these items to docs/operations.md, below "${HEADING}", or change the item of a message that was reworded`,
  );
  none(
    explained
      .filter(({ message }) => !isIn(warnings, message))
      .map(({ message, location }) => `${location}: ${message}`),
    'remove or reword these items of docs/operations.md: no source logs them as a warning or an error',
  );
  none(
    unknown.map(({ message, location }) => `${location}: ${message}`),
    'the text of these log calls is not found: write it into the call, or add the call to PASSED_ON in test/check/docs/warnings.ts',
  );
});

test('docs/operations.md explains every reason and warning of /readyz, and no other', () => {
  const given = new Map(reasonsOfSources().map(({ message, location }) => [message, location]));
  const explained = new Map(
    warningsOfPage(readPage('docs/operations.md'), REASONS_HEADING).map(({ message, location }) => [message, location]),
  );
  assert.ok(given.size > 0, 'no reason is found in the sources: correct test/check/docs/warnings.ts');
  none(
    [...given]
      .filter(([message]) => !explained.has(message))
      .map(([message, location]) => `- \`${message}\`: …   (${location})`),
    `add these items to docs/operations.md, below "${REASONS_HEADING}"`,
  );
  none(
    [...explained].filter(([message]) => !given.has(message)).map(([message, location]) => `${location}: ${message}`),
    'remove or reword these items: no source gives them',
  );
});

test.run();
