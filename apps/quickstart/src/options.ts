import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BACKENDS, type BackendName } from './places/open-place.ts';
import type { ClusterOptions } from './places/place.ts';

const USAGE = `Usage: pnpm demo [--backend NAME] [--json] [--keep DIR] [--model ID]

  --backend NAME  Where the agent works: ${BACKENDS.join(', ')}. Default: local.
  --json          Print one JSON line, and the progress on stderr.
  --keep DIR      Work in DIR, which must be empty or missing. Default: a new temporary directory.
                  An e2b workspace is in its sandbox: E2B's where E2B_API_KEY is set, else an emulator's.
  --model ID      Ask a real model through the AI gateway; needs AI_GATEWAY_API_KEY.
                  Default: a scripted one.
  --kubeconfig FILE, --context NAME, --namespace NAME
                  kubernetes: which cluster. Default: as for kubectl, else the one of \`pnpm cluster up\`.
  --image NAME    kubernetes: of the Pod, with the demo's MCP servers in it. Default, in the cluster of
                  \`pnpm cluster up\`: built by Docker here, and copied there.`;

/** Whose files are elsewhere. */
const REMOTE: readonly BackendName[] = ['e2b', 'kubernetes'];
const CLUSTER_OPTIONS = ['kubeconfig', 'context', 'namespace', 'image'] as const;
/** Asked where there is a key for the gateway and no other was named. */
const DEFAULT_MODEL = 'anthropic/claude-sonnet-5';

export interface DemoOptions {
  readonly backend: BackendName;
  readonly isJson: boolean;
  /** An absolute path. Default: a new temporary directory. */
  readonly keep: string | undefined;
  /** An id for the AI gateway. Default: a scripted model. */
  readonly model: string | undefined;
  readonly cluster: ClusterOptions;
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
  const values = parse(argv[0] === '--' ? argv.slice(1) : argv);
  const { json, keep, model, kubeconfig, context, namespace, image } = values;
  const backend = BACKENDS.find((name) => name === values.backend);
  if (backend === undefined) {
    throw new UsageError(`There is no backend ${JSON.stringify(values.backend)}. There is: ${BACKENDS.join(', ')}.`);
  }
  if (keep !== undefined && REMOTE.includes(backend))
    throw new UsageError(`--keep is not for ${backend}, whose files are not on this machine.`);
  const unused = CLUSTER_OPTIONS.find((name) => values[name] !== undefined && backend !== 'kubernetes');
  if (unused !== undefined) throw new UsageError(`--${unused} is for --backend kubernetes.`);
  // pnpm runs a script in the directory of its package, and says where it was called.
  const absolute = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(environment['INIT_CWD'] ?? '', path);
  const hasKey = (environment['AI_GATEWAY_API_KEY'] ?? '') !== '';
  if (model !== undefined && !hasKey) throw new UsageError('--model needs AI_GATEWAY_API_KEY in the environment.');
  return {
    backend,
    isJson: json,
    keep: absolute(keep),
    model: model ?? (hasKey ? DEFAULT_MODEL : undefined),
    cluster: { kubeconfig: absolute(kubeconfig), context, namespace, image },
  };
}

// oxlint-disable-next-line explicit-function-return-type -- what parseArgs makes of the table
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        backend: { type: 'string', default: 'local' },
        json: { type: 'boolean', default: false },
        keep: { type: 'string' },
        model: { type: 'string' },
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        namespace: { type: 'string' },
        image: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
