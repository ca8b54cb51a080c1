/** Why a command ends: a sentence for the person, and the exit code of contract section 11. */

export const EXIT = { failed: 1, notFound: 3, notAllowed: 4, notReached: 5, interrupted: 130 } as const;

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

interface ErrorBody {
  readonly errorCode?: unknown;
  readonly message?: unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What the server answered instead of what was asked for. */
export class Refusal extends Failure {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody, message: string) {
    super(message, exitCodeOf(status));
    this.status = status;
    this.body = body;
  }
}

export function refusalOf(status: number, text: string): Refusal {
  const body = bodyOf(text);
  const said = typeof body.message === 'string' ? body.message : `the server answered with status ${status}`;
  const fields = Object.entries(body.fields ?? {}).map(([name, reason]) => `${name} ${textOf(reason)}`);
  const hint = status === 401 ? '; sign in with cairn login, or give a token with --token-file' : '';
  return new Refusal(status, body, `${[said, ...fields].join('; ')}${hint}`);
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAllowed;
  return status === 404 ? EXIT.notFound : EXIT.failed;
}

function bodyOf(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function textOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : JSON.stringify(reason);
}
