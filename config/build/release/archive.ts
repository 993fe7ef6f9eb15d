/** Archives whose bytes follow from the files alone: sorted, with one time and one owner. */
import { join } from 'node:path';
import { run } from './run.ts';

/** `root`/`name` as a tar.gz. `time`: seconds since 1970. */
export function writeTarball(root: string, name: string, file: string, time: number): void {
  const tar = join(root, `${name}.tar`);
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  run('tar', ['--create', '--sort=name', `--mtime=@${time}`, ...owner, '--format=gnu', `--file=${tar}`, name], root);
  run('gzip', ['--no-name', '-9', tar], root);
  run('mv', [`${tar}.gz`, file], root);
}
