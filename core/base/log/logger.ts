import { formatJson, formatText } from './format.ts';
import { isJournal, withPriority } from './journald.ts';
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
  /**
   * A logger that adds these fields to every entry. The entry's own fields take precedence. The
   * field `component` names a part of the daemon; only JSON has it.
   */
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
  /**
   * Whether lines have the priorities of the journal. Default: if standard error leads to the
   * journal, and `write` is omitted.
   */
  readonly hasPriorities?: boolean;
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
  const { write, hasPriorities = write === undefined && isJournal(process.env.JOURNAL_STREAM, 2) } = options;
  return withFields({ ...options, hasPriorities }, {});
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
        const entry = format({ time: new Date(), level, message: String(message), fields: all });
        write(options.hasPriorities ? withPriority(level, entry) : entry);
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
