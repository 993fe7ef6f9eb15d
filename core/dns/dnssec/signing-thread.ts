/** The entry point of a signing thread. */
import { movedResult } from '../../base/moved-result.ts';
import { type SigningTask, signTask } from './keys.ts';

export default function work(task: SigningTask): unknown {
  const signatures = signTask(task);
  return movedResult(signatures, [signatures.buffer]);
}
