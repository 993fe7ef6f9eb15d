/** `waypost pkg`: packages of mini-apps, from the developer's side and the reviewer's. */
import type { Command } from 'commander';
import { addPkgReviewCommands } from './pkg-review.ts';
import { addPkgUploadCommands } from './pkg-upload.ts';
import type { CommandContext } from './run.ts';
import { addGroup } from './verb.ts';

export function addPkgCommands(program: Command, context: CommandContext): void {
  const parent = addGroup(program, 'pkg', 'packages of mini-apps', [
    'waypost pkg upload notes.pkg',
    'waypost pkg list',
    'waypost pkg queue',
  ]);
  addPkgUploadCommands(parent, context);
  addPkgReviewCommands(parent, context);
}
