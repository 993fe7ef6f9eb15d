import { formatJson, formatText } from './format.ts';
import { type LogValue, toSafeFields } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = { readonly [key: string]: unknown };
type LogMethod = (message: string, fields?: LogFields) => void;

/**
 * No method throws. Fields whose name ends with password, token, secret, authorization or private
 * key are redacted.
 */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** A logger that adds these fields to every entry. The entry's own fields take precedence. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** The least severe level that is logged. */
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  /**
   * Writes one entry, which ends with a line feed. The default is standard error, so that standard
   * output contains only results.
   */
  readonly write?: (line: string) => void;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * The reader of standard error can exit (EPIPE). Without a listener, Node would end the process.
 */
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
  const minLevel = LEVELS.indexOf(options.level);
  const method = (level: LogLevel): LogMethod => {
    if (LEVELS.indexOf(level) < minLevel) return () => {};
    return (message, fields) => {
      // A failure of the log must not stop the service.
      try {
        const all = fields === undefined ? own : { ...own, ...toSafeFields(fields) };
        write(format({ time: new Date(), level, message: String(message), fields: all }));
      } catch {}
    };
  };
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: (fields) => withFields(options, { ...own, ...toSafeFields(fields) }),
  };
}
