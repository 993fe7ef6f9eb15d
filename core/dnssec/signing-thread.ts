/** A thread that signs. */
import { Piscina } from 'piscina';
import { type SigningTask, signTask } from './keys.ts';

export default function work(task: SigningTask): unknown {
  const signatures = signTask(task);
  const movable: object = { [Piscina.transferableSymbol]: [signatures.buffer], [Piscina.valueSymbol]: signatures };
  return Piscina.move(movable as Parameters<typeof Piscina.move>[0]);
}
