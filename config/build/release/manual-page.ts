/** The manual page waypost(1), from what --help prints, and the completions of shells. */
import { run } from './run.ts';

/** Text of roff: no line is a request, and no hyphen a dash. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

/** For each shell, where Debian keeps the completions of packages. */
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/waypost',
  zsh: 'usr/share/zsh/vendor-completions/_waypost',
  fish: 'usr/share/fish/vendor_completions.d/waypost.fish',
} as const;

/** The scripts by path. */
export function completions(node: string, program: string): ReadonlyMap<string, string> {
  const entries = Object.entries(COMPLETIONS);
  return new Map(entries.map(([shell, path]) => [path, run(node, [program, 'completion', shell], '/')]));
}

export function manualPage(node: string, program: string, version: string): string {
  const help = run(node, [program, '--help'], '/');
  return `.TH WAYPOST 1 "" "Waypost ${version}" "User Commands"
.SH NAME
waypost \\- authoritative nameserver, reverse proxy, and their command line
.SH SYNOPSIS
.B waypost
.RI [ options ]\\  command
.SH DESCRIPTION
The service waypost.service runs
.BR "waypost serve" .
The other commands check, configure and query it; each describes itself with
.BR \\-\\-help .
.PP
.nf
${roff(help.trim())}
.fi
.SH FILES
.TP
.I /etc/waypost/waypost.toml
the configuration
.TP
.I /etc/waypost/environment
settings that differ between nodes, as variables
.TP
.I /var/lib/waypost
the database and the key of its secrets
.SH SEE ALSO
The manual is in
.IR /usr/share/doc/waypost/docs .
`;
}
