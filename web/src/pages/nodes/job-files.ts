/** Which logs of a node belong on the page of a job: never those of another job. Pure. */
import { jobOutputOf } from '../../../../src/protocol/job-output.ts';

export function hasFilesOf(jobId: string, files: readonly string[]): boolean {
  return files.some((file) => jobOutputOf(file)?.job === jobId);
}

/** Its own first, of which standard error tells more; then what no job wrote, such as the agent's log. */
export function filesOfJob(jobId: string, files: readonly string[]): readonly string[] {
  const own = files.filter((file) => jobOutputOf(file)?.job === jobId);
  const outputs = ['stderr', 'stdout'].flatMap((output) => own.filter((file) => jobOutputOf(file)?.output === output));
  return [...outputs, ...files.filter((file) => jobOutputOf(file) === undefined)];
}
