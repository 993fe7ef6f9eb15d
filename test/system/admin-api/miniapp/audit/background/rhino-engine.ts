/**
 * The real engine, as far as it can be had: Rhino 1.7.14 of Debian's librhino-java, one process of
 * Java for all sources.
 */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../../../../../support/temp.ts';

const JAR = '/usr/share/java/js.jar';

/**
 * Runs in Rhino's shell: a request a line, an answer a line. `parse` gives null or what is wrong,
 * `run` what the script gives.
 */
const DRIVER = `
var context = Packages.org.mozilla.javascript.Context.getCurrentContext();
var input = new java.io.BufferedReader(new java.io.InputStreamReader(java.lang.System['in'], 'UTF-8'));
var output = new java.io.PrintStream(java.lang.System.out, true, 'UTF-8');
for (var line = input.readLine(); line !== null; line = input.readLine()) {
  var request = JSON.parse(String(line));
  var answer;
  try {
    answer = request.run ? eval(request.source) : context.compileString(request.source, 'source', 1, null) && null;
    if (answer === undefined) answer = null;
  } catch (error) {
    answer = request.run ? { thrown: String(error) } : String(error.message || error) || 'refused';
  }
  output.println(JSON.stringify(answer));
}
`;

/**
 * Why what needs it is left out, or null. With WAYPOST_REQUIRE_PEERS=1 a missing one is an error.
 */
export function whyNoRhino(): string | null {
  const why = !existsSync(JAR)
    ? 'librhino-java is not installed'
    : !existsSync('/usr/bin/java')
      ? 'java is not installed'
      : null;
  if (why !== null && process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
  return why;
}

export interface Rhino {
  /** Null when it parses, else what the engine says. */
  parse(source: string): Promise<string | null>;
  /** Runs it in the global scope of the shell. What it gives, or `{thrown}`. */
  run(source: string): Promise<unknown>;
  stop(): void;
}

export function startRhino(): Rhino {
  const driver = join(temporaryFolder('rhino'), 'driver.js');
  writeFileSync(driver, DRIVER);
  const shell = ['-cp', JAR, 'org.mozilla.javascript.tools.shell.Main', '-opt', '-1', '-version', '200', driver];
  const child = spawn('/usr/bin/java', ['-Xss16m', '-XX:TieredStopAtLevel=1', ...shell], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers: [resolve: (answer: unknown) => void, reject: (error: Error) => void][] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answers.shift()?.[0](JSON.parse(line)));
  child.once('exit', (code) => {
    for (const [, reject] of answers.splice(0)) reject(new Error(`Rhino has ended with ${code}`));
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const ask = (request: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      answers.push([resolve, reject]);
      child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  return {
    parse: (source) => ask({ source }) as Promise<string | null>,
    run: (source) => ask({ source, run: true }),
    stop: () => child.kill('SIGKILL'),
  };
}
