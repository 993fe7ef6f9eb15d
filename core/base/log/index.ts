export { escapeControls, formatJson } from './format.ts';
export { createLogger, type LogFields, type Logger, type LoggerOptions, type LogLevel } from './logger.ts';
