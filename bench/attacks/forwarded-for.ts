/**
 * A visitor behind a trusted proxy who passes a deny rule by how X-Forwarded-For is written: for
 * each spelling, whether the rule holds, and which address the access log and the origin have.
 */
import { playForwardedFor } from '../../test/system/scenario/forwarded-for.ts';
import { attackOptions } from './stage.ts';

const { main } = attackOptions('forwarded-for', 'Spellings of X-Forwarded-For that pass a deny rule.');
const outcomes = await playForwardedFor(main);
process.stdout.write('| X-Forwarded-For | rule | access log | X-Forwarded-For, X-Real-IP, Forwarded at the origin |\n');
process.stdout.write('|---|---|---|---|\n');
for (const { spelling, isDenied, logged, atOrigin } of outcomes)
  process.stdout.write(
    `| ${spelling.lines.map((line) => `\`${line}\``).join(' + ')} | ${isDenied ? 'denied' : 'PASSED'} | ${logged} | ${atOrigin.join(', ')} |\n`,
  );
const passed = outcomes.filter(({ isDenied }) => !isDenied).length;
const wrong = outcomes.filter(({ spelling, logged }) => logged !== spelling.visitor).length;
process.stdout.write(`\n${passed} of ${outcomes.length} pass the rule; ${wrong} are logged with another address.\n`);
