/** Runs DNS clients, and parses their output: kdig (Knot DNS) and dig (BIND). */
import { runProgram } from '../../support/programs.ts';

export interface Line {
  readonly name: string;
  readonly ttl: number;
  readonly class: string;
  readonly type: string;
  readonly data: string;
}

/** One message as it was printed. */
export interface Transcript {
  readonly opcode: string;
  /** NOERROR, NXDOMAIN, …; BADVERS, BADCOOKIE as well, which both take from OPT, too. */
  readonly status: string;
  readonly id: number;
  /** qr, aa, tc, rd, … */
  readonly flags: readonly string[];
  readonly answer: readonly Line[];
  readonly authority: readonly Line[];
  readonly additional: readonly Line[];
  /**
   * Lines of the EDNS pseudosection without their semicolons, as `NSID: 6e7331 "ns1"`; null: no OPT
   * record.
   */
  readonly edns: readonly string[] | null;
  /** As it was printed, for failures. */
  readonly text: string;
}

const HEADER = /->>HEADER<<- opcode: (\w+)[;,] status: (\w+)[;,] id: (\d+)/g;

/** All messages of a transcript, in order; an exchange that failed has none. */
export function messagesOf(output: string): Transcript[] {
  const starts = [...output.matchAll(HEADER)];
  return starts.map((match, i) => {
    const text = output.slice(match.index, starts[i + 1]?.index);
    // Up to an empty line, or, in dig's pseudosection, to the next title.
    const section = (name: string): string[] => {
      const found = new RegExp(`^;; ${name}:?\\s*\\n((?:(?!;; .*SECTION:).+\\n?)*)`, 'm').exec(text);
      return found === null ? [] : found[1].split('\n').filter((line) => line !== '');
    };
    const records = (name: string): Line[] =>
      section(`${name} SECTION`)
        .filter((line) => !line.startsWith(';'))
        .map(lineOf);
    const edns = [...section('EDNS PSEUDOSECTION'), ...section('OPT PSEUDOSECTION')];
    return {
      opcode: match[1],
      status: match[2],
      id: Number(match[3]),
      flags: (/^;; flags: ([\w ]*);/im.exec(text)?.[1] ?? '').split(' ').filter((flag) => flag !== ''),
      answer: records('ANSWER'),
      authority: records('AUTHORITY'),
      additional: records('ADDITIONAL').filter(({ type }) => type !== 'TSIG'),
      edns: edns.length === 0 ? null : edns.map((line) => line.replace(/^;+\s*/, '')),
      text,
    };
  });
}

function lineOf(line: string): Line {
  const [, name, ttl, of, type, data] = /^(\S+)\s+(\d+)\s+(\w+)\s+(\S+)\s*(.*)$/.exec(line) ?? [];
  if (type === undefined) throw new Error(`no record: ${line}`);
  return { name, ttl: Number(ttl), class: of, type, data };
}

/**
 * All records that were printed outside of messages, as a transfer prints them, signatures left
 * out.
 */
export const recordsOf = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => /^[^\s;]\S*\s+\d+\s/.test(line))
    .map(lineOf)
    .filter(({ type }) => type !== 'TSIG');

/** Arguments of one query, one try, to a port of 127.0.0.1. */
export function server(program: 'kdig' | 'dig', port: number): string[] {
  const patience = program === 'kdig' ? ['+retry=0', '+timeout=5'] : ['+tries=1', '+time=5'];
  return ['@127.0.0.1', '-p', String(port), ...patience];
}

/**
 * Runs dig or kdig; the one message that came back. Throws with the output when there is not
 * exactly one.
 */
export async function request(program: 'kdig' | 'dig', args: readonly string[]): Promise<Transcript> {
  const { output } = await runProgram(program, args);
  const messages = messagesOf(output);
  if (messages.length !== 1) throw new Error(`${messages.length} messages: ${program} ${args.join(' ')}\n${output}`);
  return messages[0];
}

/** The rest of the line of an EDNS option, as `"ns1"`; undefined when the response has none. */
export function option({ edns }: Transcript, name: string): string | undefined {
  const line = edns?.find((candidate) => candidate.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}
