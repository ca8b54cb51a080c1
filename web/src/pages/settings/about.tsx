/** What runs here, and where to read about it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api/request.ts';
import { CopyButton } from '../../parts/command-line.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Answered, isAsking, Missing } from '../../parts/states.tsx';
import { configQuery } from '../../queries/server.ts';

/** The libraries that the browser has loaded, with the licence of each. */
const LIBRARIES: readonly (readonly [string, string])[] = [
  ['React', 'MIT'],
  ['TanStack Query, Router, Table, Virtual', 'MIT'],
  ['Base UI', 'MIT'],
  ['uPlot', 'MIT'],
  ['zod', 'MIT'],
  ['oauth4webapi', 'MIT'],
  ['amazon-cognito-identity-js', 'Apache-2.0'],
  ['eventsource-parser', 'MIT'],
  ['openapi-explorer', 'Apache-2.0'],
  ['Inter', 'OFL-1.1'],
];

function ServerId({ id }: { id: string }): ReactNode {
  return (
    <>
      {id} <CopyButton text={id} what="the server id" />
    </>
  );
}

export function About(): ReactNode {
  const config = useQuery(configQuery);
  const version = useQuery({
    queryKey: ['version'],
    queryFn: async ({ signal }) =>
      /^cairn_build_info\{.*\bversion="([^"]+)"/m.exec(await (await ask('/metrics', { signal })).text())?.[1] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <section className="panel" aria-labelledby="about">
        <h3 id="about">This server</h3>
        {/* Its places are there before the answer, so that nothing below moves. */}
        {config.data || isAsking(config) ? (
          <Facts
            isWide
            facts={[
              ['Version', version.isPending ? <Missing key="v" query={version} /> : version.data],
              [
                'Server id',
                config.data ? <ServerId key="i" id={config.data.id} /> : <Missing key="i" query={config} />,
              ],
              ['Listens on', config.data?.addr ?? <Missing key="l" query={config} />],
              ['Address of this page', window.location.origin],
            ]}
          />
        ) : (
          <Answered query={config} what="the settings">
            {() => null}
          </Answered>
        )}
      </section>
      <section className="panel" aria-labelledby="documents">
        <h3 id="documents">Documents</h3>
        <ul className="plain-list">
          <li>
            <a href="/api/">API reference</a>: every call, with examples, to be tried from the browser.
          </li>
          <li>
            <a href="/api/v1/openapi.json">OpenAPI document</a>, for clients in any language.
          </li>
          <li>
            <a href="/docs/guide/troubleshoot.html">Troubleshooting</a>,{' '}
            <a href="/docs/guide/operate.html">Operations</a> and <a href="/docs/index.html">all guides</a>, as of this
            version.
          </li>
          <li>
            Every command explains itself: <code>cairn --help</code>.
          </li>
        </ul>
      </section>
      <section className="panel" aria-labelledby="licences">
        <h3 id="licences">Licences</h3>
        <p>Cairn is free software under the Apache License 2.0. The dashboard uses these libraries:</p>
        <ul className="licences">
          {LIBRARIES.map(([name, licence]) => (
            <li key={name}>
              {name} <span className="muted">{licence}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
