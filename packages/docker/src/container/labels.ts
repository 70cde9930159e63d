/** What our containers, volumes and images carry. Things are found again by these, never by name. */
export const LABELS = {
  /** Whose it is: a manager's id, or `standalone`. */
  manager: 'agent-workspace.manager-id',
  workspace: 'agent-workspace.workspace-id',
  /** A hash of all that the container was created with. */
  configuration: 'agent-workspace.configuration',
  /** How the host reaches the gateway. */
  transport: 'agent-workspace.transport',
  /** What else it is for: `probe`, `image`. */
  role: 'agent-workspace.role',
} as const;

/** Of workspaces without a manager, which nobody reaps. */
export const STANDALONE = 'standalone';
