/** Entry point of the backup thread, which keeps backups off the main thread. */
import { runJob } from './job.ts';

export default runJob;
