/**
 * Reads passwords and codes from standard input, or from the terminal without echo. Never from the
 * command line, which other users can see.
 */
import { Option } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { randomPassword } from '../../../core/base/random-password.ts';
import { firstLine } from './confirm.ts';
import { ApiError, CliError } from './errors.ts';
import type { CliIo } from './io.ts';

const MAX_LENGTH = 4096;

/**
 * Reads the first line of standard input. Throws CliError `no_password` if it is empty or too long.
 */
export async function passwordFromStdin(io: CliIo): Promise<string> {
  const line = await firstLine(io, MAX_LENGTH);
  if (line === '' || line.length > MAX_LENGTH)
    throw new CliError('no_password', 'The first line of standard input is not a password: it is empty or too long.');
  return line;
}

/** Asks on the terminal. `next`: the next step if there is no terminal or no answer. */
export async function askPassword(io: CliIo, question: string, next: string): Promise<string> {
  const { stdin, stderr } = io;
  if (!stdin.isTTY || stdin.setRawMode === undefined) {
    throw new CliError('no_password', 'A password is required, and there is no terminal to ask for it.', {
      next,
    });
  }
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    const answer = await readHidden(io);
    if (answer === '') throw new CliError('no_password', 'The password is empty.', { next });
    return answer;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}

/** Sends a request with a code. Asks for one if the account needs it and none is given. */
export async function withCode<T>(
  io: CliIo,
  given: string | undefined,
  send: (code: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await send(given);
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 'code_required' && given === undefined;
    if (!isMissing || !io.stdin.isTTY) throw error;
    return send(await askPassword(io, 'Code of your authenticator app: ', 'Pass --code.'));
  }
}

/** In raw mode, the terminal passes Enter, Backspace and control keys as characters. */
function readHidden({ stdin }: CliIo): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const stop = () => {
      // Pauses immediately, because the next characters answer the next question.
      stdin.pause();
      stdin.off('data', take);
      stdin.off('end', end);
    };
    const end = () => {
      stop();
      resolve(typed.join(''));
    };
    const take = (chunk: Buffer | string) => {
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n' || key === '\u0004') return end();
        if (key === '\u0003') {
          stop();
          return reject(new CliError('cancelled', 'Cancelled.'));
        }
        if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1);
        else if (typed.length < MAX_LENGTH) typed.push(key);
      }
    };
    stdin.on('data', take);
    stdin.on('end', end);
    // A previous question has paused the stream.
    stdin.resume();
  });
}

export interface PasswordOptions {
  readonly passwordStdin?: boolean;
  readonly randomPassword?: boolean;
}

export const PASSWORD_OPTIONS: readonly Option[] = [
  new Option('--password-stdin', 'read the password from the first line of standard input'),
  new Option('--random-password', 'generate a password and print it once').conflicts('passwordStdin'),
];

/**
 * Chooses the password of a new account: from standard input, generated, or from a prompt. `made`
 * is the generated password, which the caller must show.
 */
export async function choosePassword(
  io: CliIo,
  username: string,
  options: PasswordOptions,
): Promise<{ readonly password: string; readonly made?: string }> {
  if (options.passwordStdin) return { password: await passwordFromStdin(io) };
  if (options.randomPassword) {
    const made = randomPassword();
    return { password: made, made };
  }
  const question = `Password of the new account ${escapeControls(username)}: `;
  return { password: await askPassword(io, question, 'Pass --password-stdin or --random-password.') };
}
