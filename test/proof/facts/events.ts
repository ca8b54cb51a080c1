/** The event stream as it is stored: every acknowledged event of a job once, in the order of its job. */
import type { Api } from '../../support/api.ts';
import type { JobFacts } from './jobs.ts';

/** The jobs' clients must be at rest, and nothing older than a day. */
export async function auditEvents(api: Api, clients: readonly JobFacts[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { queue, told } of clients) {
    const path = `/api/v1/event?types=job.event&queue=${queue}&lastEventId=0&follow=false`;
    const { status, text } = await api.get(path);
    if (status !== 200) {
      faults.push(`events of ${queue}: answered ${status}`);
      continue;
    }
    const stored = text
      .split('\n\n')
      .filter((block) => block.startsWith('event: job.event\n'))
      .map((block) => /^data: (.*)$/m.exec(block)?.[1] ?? '{}')
      .map((data) => JSON.parse(data) as { job: string; event: { timestamp: string } })
      .map(({ job, event }) => `${job} ${event.timestamp}`);
    const known = new Set(stored);
    if (known.size !== stored.length) faults.push(`events of ${queue}: ${stored.length - known.size} are there twice`);
    const lost = told.filter(({ job, timestamp }) => !known.has(`${job} ${timestamp}`));
    if (lost.length > 0)
      faults.push(`events of ${queue}: ${lost.length} are lost, the first is ${JSON.stringify(lost[0])}`);
  }
  return faults;
}
