import type { Tool, WorkspaceSession } from '@agent-workspace/core';
import { skillPrompt, Toolkit } from '@agent-workspace/toolkit';

/** What an agent of any framework needs of a session. */
export interface SessionToolkit {
  readonly toolkit: Toolkit;
  readonly tools: readonly Tool[];
  readonly instructions: string;
}

/** Brings a session's tools, servers and skills together. */
export async function sessionToolkit(session: WorkspaceSession): Promise<SessionToolkit> {
  const toolkit = new Toolkit({
    tools: await session.listTools(),
    mcps: await session.listMcps(),
    skillsOrLoaders: [() => session.listSkills()],
    session,
  });
  const instructions = `${await session.getInstructions()}\n${skillPrompt(await toolkit.listSkills())}`;
  return { toolkit, tools: await toolkit.list(), instructions };
}
