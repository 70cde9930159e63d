import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClusterFolder } from './cluster-folder.ts';
import { markedEnvironment } from './marked-processes.ts';
import { lastLines } from './part-log.ts';
import { requireGo } from './requirements.ts';

const KUBERNETES_VERSION = 'v1.34.2';

const SOURCES_DIRECTORY = fileURLToPath(new URL('../../cluster/kubernetes/', import.meta.url));
const SOURCES: readonly string[] = ['go.mod', 'go.sum', 'main.go', 'pause/main.go', 'volumes/volumes.go'];

const [MAJOR = '', MINOR = ''] = KUBERNETES_VERSION.slice(1).split('.');
const STAMP = 'k8s.io/component-base/version';
const LINKER_FLAGS = `-s -w -X ${STAMP}.gitVersion=${KUBERNETES_VERSION} -X ${STAMP}.gitMajor=${MAJOR} -X ${STAMP}.gitMinor=${MINOR}`;
/**
 * Without optimisation and tables for debuggers: on a machine that builds it for one run of the tests, the time
 * to build counts for more than the time that a call takes.
 */
const COMPILER_FLAGS = 'all=-N -l -dwarf=false';
const FLAGS: readonly string[] = [
  '-mod=readonly',
  '-buildvcs=false',
  '-trimpath',
  `-gcflags=${COMPILER_FLAGS}`,
  `-ldflags=${LINKER_FLAGS}`,
];
/** The compiler's garbage collector runs less often, for more memory. */
const COMPILER_GC_PERCENT = '400';

export interface Programs {
  readonly directory: string;
  /** Kubernetes and etcd, in one program. */
  readonly kubernetes: string;
  readonly pause: string;
}

export function programsIn(directory: string): Programs {
  return { directory, kubernetes: join(directory, 'kubernetes'), pause: join(directory, 'pause') };
}

/** Where the programs of this checkout are, or will be: a folder that is named after all that they are made of. */
export async function locatePrograms(folder: ClusterFolder): Promise<Programs> {
  const hash = createHash('sha256').update(JSON.stringify([FLAGS, process.arch]));
  for (const source of SOURCES) hash.update(await readFile(join(SOURCES_DIRECTORY, source)));
  return programsIn(join(folder.binDirectory, `${KUBERNETES_VERSION}-${hash.digest('hex').slice(0, 12)}`));
}

/**
 * Builds the programs unless they are there. They take their place when both are whole. Go's caches are in the
 * cluster's folder, and gone after the build, since they are twenty times as large as what comes out; a build
 * that was interrupted leaves them, and the next one goes on from there.
 */
export async function ensurePrograms(folder: ClusterFolder): Promise<Programs> {
  const programs = await locatePrograms(folder);
  if (await isThere(programs.directory)) return programs;
  const go = await requireGo();
  const logFile = join(folder.buildDirectory, 'build.log');
  await mkdir(folder.buildDirectory, { recursive: true });
  // A compiler that outlived a crash has a place of its own.
  const attempt = await mkdtemp(join(folder.buildDirectory, 'attempt-'));
  const unfinished = join(attempt, 'programs');
  const scratch = join(attempt, 'scratch');
  for (const directory of [unfinished, scratch]) await mkdir(directory);
  await using log = await open(logFile, 'a');
  console.error(`Building Kubernetes ${KUBERNETES_VERSION}: some minutes. Log: ${logFile}`);
  const env: NodeJS.ProcessEnv = {
    ...markedEnvironment(folder),
    CGO_ENABLED: '0',
    GOFLAGS: '-modcacherw',
    GOCACHE: join(folder.buildDirectory, 'cache'),
    GOMODCACHE: join(folder.buildDirectory, 'modules'),
    GOTMPDIR: scratch,
    GOGC: COMPILER_GC_PERCENT,
  };
  const child = spawn(go, ['build', ...FLAGS, '-o', `${unfinished}/`, '.', './pause'], {
    cwd: SOURCES_DIRECTORY,
    env,
    stdio: ['ignore', log.fd, log.fd],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Kubernetes could not be built:\n${await lastLines(logFile)}`);
  await mkdir(folder.binDirectory, { recursive: true });
  await rename(unfinished, programs.directory);
  await rm(folder.buildDirectory, { recursive: true, force: true });
  return programs;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
