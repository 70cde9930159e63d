import { SearchUnavailableError } from '@agent-workspace/core';

/** The binary that is installed with this package. @throws `search-unavailable` */
export async function installedRipgrep(): Promise<string> {
  try {
    // It throws on import where there is no binary for this machine.
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not installed';
    throw new SearchUnavailableError({ reason }, { cause: error });
  }
}
