/** The thread that makes backups: nothing of it waits on the main thread. */
import { runJob } from './job.ts';

export default runJob;
