/** YAML, read by PyYAML: no package of the project reads it. */
import { execFileSync } from 'node:child_process';
import { missingPeer } from '../support/peers.ts';

const PROGRAM = 'import json, sys, yaml; json.dump([d for d in yaml.safe_load_all(sys.stdin) if d], sys.stdout)';

/** Null: YAML can be read here. If not, WAYPOST_REQUIRE_PEERS=1 throws. */
export function whyNoYaml(): string | null {
  try {
    execFileSync('python3', ['-c', 'import yaml'], { stdio: 'ignore' });
    return null;
  } catch {
    return missingPeer('python3-yaml is not installed');
  }
}

/** All documents of a text that are not empty. Throws Error. */
export function parseYaml(text: string): unknown[] {
  return JSON.parse(execFileSync('python3', ['-c', PROGRAM], { input: text, encoding: 'utf8', maxBuffer: 16 << 20 }));
}
