/** Which logs of a node the page of a job shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOfJob, hasFilesOf } from '../../../../../web/src/pages/nodes/job-files.ts';

const FILES = ['stdout', 'stderr'].flatMap((name) => [
  `/nodes/n/jobs/other/${name}.log`,
  `/nodes/n/jobs/own/${name}.log`,
]);
const AGENT = '/nodes/n/var/log/agent.log';

test('a job has its own output, standard error first, and the agent’s log, and nothing of another job', () => {
  const own = ['/nodes/n/jobs/own/stderr.log', '/nodes/n/jobs/own/stdout.log'];
  assert.deepEqual(filesOfJob('own', [AGENT, ...FILES]), [...own, AGENT]);
  assert.deepEqual(filesOfJob('third', [AGENT, ...FILES]), [AGENT]);
});

test('what the agent or another job wrote is no output of a job', () => {
  assert.equal(hasFilesOf('own', FILES), true);
  assert.equal(hasFilesOf('third', [AGENT, ...FILES]), false);
});
