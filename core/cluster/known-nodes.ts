/**
 * A file with the known nodes: a node that starts while etcd is down can still connect to its
 * peers. The file is a hint; etcd is authoritative.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFileSync } from '../base/write-file.ts';
import { FIRST_LEVEL } from '../journal/feature-level.ts';
import { makeFolder } from '../store/folder.ts';
import type { Member } from './members.ts';

/** Empty: the file does not exist, or is damaged. */
export function readKnownNodes(file: string): ReadonlyMap<string, Member> {
  try {
    const list = JSON.parse(readFileSync(file, 'utf8')) as (Partial<Member> | null)[];
    return new Map(list.filter(isMember).map((member) => [member.name, member]));
  } catch {
    return new Map();
  }
}

function isMember(member: Partial<Member> | null): member is Member {
  const { name, address, version, level = FIRST_LEVEL, key = '', certificate = '' } = member ?? {};
  return (
    [name, address, version, key, certificate].every((field) => typeof field === 'string') &&
    Number.isSafeInteger(level)
  );
}

/** Throws the errors of the file system, and ConfigError `no_folder`. */
export function writeKnownNodes(file: string, nodes: Iterable<Member>): void {
  makeFolder(dirname(file));
  const list = [...nodes].map(({ name, address, version, level, key, certificate }) => {
    return { name, address, version, level, key, certificate };
  });
  replaceFileSync(file, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
}
