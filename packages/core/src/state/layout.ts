import { posix } from 'node:path';

/** The paths of a workspace, as the agent sees them. */
export class Layout {
  readonly workdir: string;
  readonly mcpFile: string;
  /** Ours alone: state, lock, process records. */
  readonly stateDirectory: string;
  readonly stateFile: string;
  readonly lockFile: string;
  readonly dataDirectory: string;
  readonly skillsDirectory: string;
  readonly sessionsDirectory: string;

  constructor(workdir: string) {
    this.workdir = workdir;
    this.mcpFile = posix.join(workdir, '.mcp');
    this.stateDirectory = posix.join(workdir, '.workspace');
    this.stateFile = posix.join(this.stateDirectory, 'state.json');
    this.lockFile = posix.join(this.stateDirectory, 'lock');
    this.dataDirectory = posix.join(workdir, 'data');
    this.skillsDirectory = posix.join(workdir, 'skills');
    this.sessionsDirectory = posix.join(workdir, 'sessions');
  }

  /** Where the records of background commands without a session are. */
  get processesDirectory(): string {
    return posix.join(this.stateDirectory, 'processes');
  }
}
