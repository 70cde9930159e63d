import { cases as background } from './commands-background.ts';
import { cases as run } from './commands-run.ts';
import { cases as stdin } from './commands-stdin.ts';
import { cases as filesOwnRoot } from './files-own-root.ts';
import { cases as filesSigned } from './files-signed.ts';
import { cases as filesWatch } from './files-watch.ts';
import { cases as filesWrite } from './files-write.ts';
import { cases as files } from './files.ts';
import { cases as git } from './git.ts';
import { cases as lifeNetwork } from './life-network.ts';
import { cases as lifeTimeouts } from './life-timeouts.ts';
import { cases as pty } from './pty.ts';
import { cases as sandboxes } from './sandboxes.ts';
import type { SdkCase } from './sdk-case.ts';

/** What the SDK does in public. */
export const CASES: readonly SdkCase[] = [
  ...run,
  ...background,
  ...stdin,
  ...pty,
  ...git,
  ...sandboxes,
  ...lifeTimeouts,
  ...lifeNetwork,
  ...files,
  ...filesWrite,
  ...filesWatch,
  ...filesSigned,
  ...filesOwnRoot,
];
