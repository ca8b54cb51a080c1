/** From nothing to a job that is saved: each step ticks itself off as soon as the server sees it done. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { sendJson } from '../api/request.ts';
import { fetchedAhead } from '../chunks/fetch-ahead.ts';
import { useFetched } from '../chunks/use-fetched.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { messageOf } from '../parts/states.tsx';
import { Preference } from '../preferences/preference.ts';
import { usePreference } from '../preferences/preferences.ts';
import { useRole } from '../queries/role.ts';
import { configQuery } from '../queries/server.ts';
import { NEEDED, STEPS, type Step, useProgress } from './progress.ts';

const JOB = 'first';

const visibility = new Preference('checklist', ['shown', 'hidden']);

const TITLES: Readonly<Record<Step, string>> = {
  mode: 'Turn checkpoints on',
  worker: 'Connect a worker',
  job: 'Run a job',
  saved: 'Checkpoint the job',
  identity: 'Connect an identity provider',
};

/** So far it is one line: the page is about what the server does. */
const FOLDED_FROM = 2;

export function Checklist(): ReactNode {
  const progress = useProgress();
  // Decided as the page is opened: it does not fold under the hand of who goes through it.
  const [isShort, setShort] = useState<boolean>();
  const shown = usePreference(visibility);
  if (shown === 'hidden' || progress === undefined || NEEDED.every((step) => progress[step])) return null;
  const next = NEEDED.find((step) => !progress[step]);
  const done = STEPS.filter((step) => progress[step]).length;
  if (isShort === undefined) setShort(done >= FOLDED_FROM);
  const isTurn = (step: Step): boolean => step === next || (step === 'worker' && !progress.worker);
  return (
    <section className={isShort ? 'panel checklist checklist-short' : 'panel checklist'} aria-labelledby="checklist">
      <div className="panel-head">
        <h2 id="checklist">Get started</h2>
        <span className="muted">
          {done} of {STEPS.length} done
          {isShort && next !== undefined ? (
            <span className="checklist-next"> · next: {TITLES[next].toLowerCase()}</span>
          ) : null}
        </span>
        {isShort ? (
          <button type="button" className="compact" onClick={() => setShort(false)}>
            Show
          </button>
        ) : null}
        <button type="button" className="compact" onClick={() => visibility.choose('hidden')}>
          Hide
        </button>
      </div>
      <ol hidden={isShort}>
        {STEPS.map((step, i) => (
          <li key={step} className={progress[step] ? 'step step-done' : 'step'}>
            <span className="step-mark" aria-hidden="true">
              {progress[step] ? '✓' : i + 1}
            </span>
            {/* Opens when its turn comes; the line of a worker is what most come for. The reader may look at the others. */}
            <details key={String(isTurn(step))} open={isTurn(step)}>
              <summary>
                {TITLES[step]}
                <span className="hidden">{progress[step] ? ', done' : ', to do'}</span>
                {step === 'identity' ? <span className="muted"> · optional on a private network</span> : null}
              </summary>
              <Body step={step} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Body({ step }: { step: Step }): ReactNode {
  switch (step) {
    case 'mode':
      return <TurnOn />;
    case 'worker':
      return (
        <>
          <Connect />
          <p className="muted">This step turns green with the first heartbeat.</p>
        </>
      );
    case 'job':
      return (
        <>
          <p>On the worker, in a second terminal:</p>
          <CommandLine line={`sudo cairn run --job ${JOB} -- bash -c 'for i in {1..600}; do echo $i; sleep 1; done'`} />
        </>
      );
    case 'saved':
      return (
        <>
          <p>
            The agent saves it after the checkpoint interval, or at once with the line below. See the checkpoint on{' '}
            <Link to="/job" search={{ id: JOB }}>
              the page of the job
            </Link>
            .
          </p>
          <CommandLine line={`sudo cairn job checkpoint ${JOB}`} />
        </>
      );
    case 'identity':
      return (
        <p>
          Until then, anyone who can reach this address can change everything.{' '}
          <Link to="/settings" search={{ tab: 'identity' }}>
            Open the identity settings
          </Link>
        </p>
      );
  }
}

/** A fleet at work does not need it: it is no part of what every reader waits for. */
const loadConnect = fetchedAhead(async () => (await import('./connect-worker.tsx')).ConnectWorker);

function Connect(): ReactNode {
  const ConnectWorker = useFetched(loadConnect);
  return ConnectWorker === undefined ? null : <ConnectWorker />;
}

function TurnOn(): ReactNode {
  const { mayChange } = useRole();
  const client = useQueryClient();
  const turnOn = useMutation({
    mutationFn: () => sendJson('PUT', '/api/v1/configKV', { kvMap: { 'ckpt.ckptMode': 'iterative' } }),
    onSuccess: () => client.invalidateQueries({ queryKey: configQuery.queryKey }),
  });
  return (
    <>
      <p>
        Until then, a job whose node is lost starts from scratch.{' '}
        <Link to="/settings" search={{ tab: 'ckpt' }}>
          Open the checkpoint settings
        </Link>
      </p>
      {mayChange ? (
        <button
          type="button"
          className="primary step-action"
          disabled={turnOn.isPending}
          onClick={() => turnOn.mutate()}
        >
          Turn checkpoints on
        </button>
      ) : null}
      {turnOn.error ? (
        <p className="bad" role="alert">
          {messageOf(turnOn.error)}
        </p>
      ) : null}
    </>
  );
}
