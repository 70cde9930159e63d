/** Where the tools of a connection work, as far as it is known before the workspace is there. */
export interface WorkspacePlace {
  /** `local`, `docker`, `e2b`, … */
  readonly kind: string;
  /** As the agent sees it. */
  readonly workdir: string;
}

export interface InstructionsOptions {
  readonly place: WorkspacePlace | undefined;
  readonly isReadOnly: boolean;
  readonly isLazy: boolean;
}

/** What a client tells its model about this server. Clients cut at 2 KB. */
export function serverInstructions({ place, isReadOnly, isLazy }: InstructionsOptions): string {
  return [
    placeText(place),
    'It starts with the first call, which may take a while: a sandbox is made or an image is built then.',
    ...(isReadOnly ? ['Only tools that change nothing are offered.'] : []),
    isLazy
      ? 'Three tools lead to all others: ListTools has their names, DescribeTool tells how one is called, CallTool calls it.'
      : "More tools may appear once it has started: those of the workspace's own MCP servers are called server__tool.",
    'Skills are folders with instructions for a kind of task. Where there are some, the tool Skill shows one by its name, its description lists what there is, and each is offered as a prompt. Look there before you begin something that one may be about.',
    'Long results are cut. The whole is kept in a file of the workspace, whose path and next call to Read stand at the end of the text; it is also offered as a resource.',
    'Paths are those of the workspace, not of the machine that you run on. Files stay when the connection ends; running commands and servers do not.',
  ].join('\n');
}

function placeText(place: WorkspacePlace | undefined): string {
  if (place === undefined) return 'These tools work in a workspace: files and a shell of their own.';
  const { kind, workdir } = place;
  const border =
    kind === 'local'
      ? 'It is a directory of this machine, and no sandbox: Bash can do what its user can.'
      : 'It is a sandbox: what you do there does not reach the machine around it.';
  return `These tools work in a workspace (${kind}) in ${workdir}. ${border}`;
}
