/** `cairn token …` */
import type { CommandAction } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { Refusal } from '../api/failure.ts';
import { printObject } from '../output/rows.ts';
import { apiCommand, printArray, type Session, segment, textFlag } from './session.ts';

const NODE_TOKENS = '/api/v1/security/nodeToken';
const SERVICE_TOKENS = '/api/v1/security/serviceToken';

/** The token alone on standard output, so that a script can take it; what a person should know goes beside it. */
async function make({ client, screen }: Session, path: string, body: unknown): Promise<undefined> {
  const text = await client.text(path, { method: 'POST', body });
  if (screen.form !== 'table') await printObject(screen, text);
  else {
    const { token, expiresAt, id } = JSON.parse(text) as { token: string; expiresAt: string; id?: string };
    const name = id === undefined ? '' : ` with id ${id}`;
    process.stderr.write(`a token${name} that expires at ${expiresAt}; it is shown only this once\n`);
    await screen.print(`${token}\n`);
  }
  return undefined;
}

export const tokenNode: CommandAction = apiCommand((session) =>
  make(session, NODE_TOKENS, { nodeId: session.args[0], ttl: textFlag(session, 'ttl') }),
);

export const tokenJoin: CommandAction = apiCommand((session) =>
  make(session, NODE_TOKENS, { ttl: textFlag(session, 'ttl') }),
);

export const tokenService: CommandAction = apiCommand((session) => {
  const queues = session.values['queue'];
  const [name, role, ttl] = ['name', 'role', 'ttl'].map((flag) => textFlag(session, flag));
  return make(session, SERVICE_TOKENS, { name, role, ttl, ...(queues === undefined ? {} : { queues }) });
});

export const tokenList: CommandAction = apiCommand(async (session) => {
  const columns = [
    { name: 'id' },
    { name: 'name' },
    { name: 'role' },
    { name: 'queues' },
    { name: 'expires', path: 'expiresAt' },
  ];
  await printArray(session, SERVICE_TOKENS, columns);
  return undefined;
});

/** An id is that of a service token, or else of a node, which need not have registered yet. */
export const tokenRevoke: CommandAction = apiCommand(async (session) => {
  const { client, screen, args, values } = session;
  const [id] = args;
  if ((id === undefined) === !values['join']) throw new UsageError('name a service token or a node, or give --join');
  const { text, what } =
    id === undefined
      ? { text: await client.text(NODE_TOKENS, { method: 'DELETE' }), what: 'every join token' }
      : await revoke(session, id);
  if (screen.form === 'table') await screen.print(`revoked ${what}\n`);
  else await printObject(screen, text);
  return undefined;
});

async function revoke({ client }: Session, id: string): Promise<{ readonly text: string; readonly what: string }> {
  try {
    const text = await client.text(`${SERVICE_TOKENS}/${segment(id)}`, { method: 'DELETE' });
    return { text, what: `the service token ${id}` };
  } catch (error) {
    if (!(error instanceof Refusal) || (error.status !== 404 && error.status !== 405)) throw error;
  }
  return {
    text: await client.text(`${NODE_TOKENS}/${segment(id)}`, { method: 'DELETE' }),
    what: `every token of the node ${id}`,
  };
}
