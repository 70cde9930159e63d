import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BACKENDS, type BackendName } from './open-workspace.ts';

const USAGE = `Usage: pnpm demo [--backend NAME] [--json] [--keep DIR] [--model ID]

  --backend NAME  Where the agent works: ${BACKENDS.join(', ')}. Default: local.
  --json          Print one JSON line, and the progress on stderr.
  --keep DIR      Work in DIR, which must be empty or missing. Default: a new temporary directory.
  --model ID      Ask a real model through the AI gateway; needs AI_GATEWAY_API_KEY.
                  Default: a scripted one.`;

const COMING = ['e2b', 'kubernetes'];
/** Asked where there is a key for the gateway and no other was named. */
const DEFAULT_MODEL = 'anthropic/claude-sonnet-5';

export interface DemoOptions {
  readonly backend: BackendName;
  readonly isJson: boolean;
  /** An absolute path. Default: a new temporary directory. */
  readonly keep: string | undefined;
  /** An id for the AI gateway. Default: a scripted model. */
  readonly model: string | undefined;
}

/** The command line does not make sense. The message says why, and how it is used. */
export class UsageError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`${reason}\n\n${USAGE}`, options);
    this.name = 'UsageError';
  }
}

/** @throws UsageError */
export function parseOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): DemoOptions {
  const { backend, json, keep, model } = parse(argv[0] === '--' ? argv.slice(1) : argv);
  const known = BACKENDS.find((name) => name === backend);
  if (known === undefined) {
    throw new UsageError(
      COMING.includes(backend)
        ? `The backend ${backend} is coming. Today there is: ${BACKENDS.join(', ')}.`
        : `There is no backend ${JSON.stringify(backend)}. There is: ${BACKENDS.join(', ')}.`,
    );
  }
  const hasKey = (environment['AI_GATEWAY_API_KEY'] ?? '') !== '';
  if (model !== undefined && !hasKey) throw new UsageError('--model needs AI_GATEWAY_API_KEY in the environment.');
  return {
    backend: known,
    isJson: json,
    // pnpm runs a script in the directory of its package, and says where it was called.
    keep: keep === undefined ? undefined : resolve(environment['INIT_CWD'] ?? '', keep),
    model: model ?? (hasKey ? DEFAULT_MODEL : undefined),
  };
}

interface Parsed {
  readonly backend: string;
  readonly json: boolean;
  readonly keep: string | undefined;
  readonly model: string | undefined;
}

function parse(args: readonly string[]): Parsed {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        backend: { type: 'string', default: 'local' },
        json: { type: 'boolean', default: false },
        keep: { type: 'string' },
        model: { type: 'string' },
      },
    });
    return { ...values, keep: values.keep, model: values.model };
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
