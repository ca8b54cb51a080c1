/** A process of storm clients: does what it is told, tells when all are back, ends with its parent. */
import { StormClient } from './storm-client.ts';
import type { FromStorm, StormPlan, StormResult, ToStorm } from './storm-plan.ts';

let clients: StormClient[] = [];

process.on('message', (message: ToStorm) => {
  if (message.type === 'plan') {
    clients = clientsOf(message.plan);
    tell({ type: 'ready' });
  } else if (message.type === 'storm') {
    void storm(message.resume).then((result) => tell({ type: 'back', result }));
  } else {
    for (const client of clients) client.drop();
    tell({ type: 'dropped' });
  }
});
process.on('disconnect', () => process.exit(0));

function clientsOf(plan: StormPlan): StormClient[] {
  return Array.from({ length: plan.clients }, (_, i) => new StormClient(plan, plan.first + i));
}

async function storm(resume: boolean): Promise<StormResult> {
  const statuses: Record<string, number> = {};
  const onStatus = (status: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const backs = await Promise.all(clients.map((client) => client.comeBack(resume, onStatus)));
  return {
    backMs: backs.map(({ afterMs }) => afterMs),
    broken: backs.reduce((sum, { broken }) => sum + broken, 0),
    resumed: backs.filter(({ resumed }) => resumed).length,
    statuses,
  };
}

function tell(message: FromStorm): void {
  process.send?.(message);
}
