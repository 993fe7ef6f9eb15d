import { formatJson, formatText } from './format.ts';
import { type LogValue, safeFields } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = { readonly [key: string]: unknown };
type LogMethod = (message: string, fields?: LogFields) => void;

/** None of the methods throws. Fields that are named as a password, token, secret, authorization or private key are redacted. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** A logger that adds these fields to every entry. The entry's own fields win. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** The least severe level that is written. */
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  /** Takes one entry, which ends with a line feed. Standard error by default, so that standard output stays for results. */
  readonly write?: (line: string) => void;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** The reader of standard error can go away (EPIPE). Without a listener Node would end the process for it. */
function writeToStandardError(line: string): void {
  if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
  process.stderr.write(line);
}

function ignore(): void {}

export function createLogger(options: LoggerOptions): Logger {
  return withFields(options, {});
}

function withFields(options: LoggerOptions, own: { [key: string]: LogValue }): Logger {
  const write = options.write ?? writeToStandardError;
  const format = options.format === 'json' ? formatJson : formatText;
  const least = LEVELS.indexOf(options.level);
  const method = (level: LogLevel): LogMethod => {
    if (LEVELS.indexOf(level) < least) return () => {};
    return (message, fields) => {
      // A log that cannot be written must not take the service down with it.
      try {
        const all = fields === undefined ? own : { ...own, ...safeFields(fields) };
        write(format({ time: new Date(), level, message: String(message), fields: all }));
      } catch {}
    };
  };
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: (fields) => withFields(options, { ...own, ...safeFields(fields) }),
  };
}
