/** Warnings and errors about lines of a zone file, for the terminal and for programs. */
import { WaypostError } from '../../../core/base/errors.ts';
import { escapeControls } from '../../../core/base/log/index.ts';
import { ApiError, type ErrorDetail } from '../base/errors.ts';
import { type Output, print } from '../base/io.ts';

export interface LineWarning {
  readonly file: string;
  readonly line: number;
  readonly code?: string;
  readonly message: string;
}

export const warningText = ({ file, line, code, message }: LineWarning): string =>
  escapeControls(`${file}:${line}: warning: ${message}${code === undefined ? '' : ` (${code})`}`);

const badLines = (error: unknown): readonly ErrorDetail[] =>
  error instanceof ApiError ? error.details.filter(({ line }) => line !== undefined) : [];

/** Prints the bad lines of `file`. Returns whether the error has some. */
export function printBadLines(output: Output, file: string, error: unknown): boolean {
  const lines = badLines(error);
  for (const { file: included, line, message } of lines)
    print(output, escapeControls(`${included ?? file}:${line}: ${message}`));
  return lines.length > 0;
}

/** The error of a zone in the output of --json. */
export const failureFields = (error: unknown) => ({
  code: error instanceof WaypostError ? error.code : 'internal',
  message: error instanceof Error ? error.message : String(error),
  lines: badLines(error),
});
