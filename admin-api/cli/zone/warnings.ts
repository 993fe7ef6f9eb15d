/** Formats warnings about lines of a zone file for the terminal. */
import { escapeControls } from '../../../core/base/log/index.ts';

export interface LineWarning {
  readonly file: string;
  readonly line: number;
  readonly code?: string;
  readonly message: string;
}

export const warningText = ({ file, line, code, message }: LineWarning): string =>
  escapeControls(`${file}:${line}: warning: ${message}${code === undefined ? '' : ` (${code})`}`);
