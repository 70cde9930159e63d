import type { Backend } from '../backend/backend.ts';

/** One `<workspace>` element for the system prompt: where the agent is, what is there, and habits. */
export function workspaceInstructions(backend: Backend): string {
  const border =
    backend.kind === 'local'
      ? 'It is a directory of the machine you run on, and no sandbox: Bash can reach all that this user can. Stay inside unless you are asked to leave.'
      : 'It is a sandbox of your own: nothing you do here reaches the machine outside of it.';
  return `<workspace kind="${backend.kind}" workdir="${backend.workdir}">
Your working directory is ${backend.workdir}. ${border}

What is where:
- data/: media that was moved out of the conversation. A URL workspace:///data/NAME is the file data/NAME; Read takes either.
- skills/: one folder a skill, each with a SKILL.md that says how to use it.
- sessions/: for each session context.jsonl (earlier messages, one JSON object a line) and tool_result-*.txt (long results). Read or Grep them when you need what is no longer in front of you.
- .mcp, .workspace/ and the skill indexes are kept by the workspace: do not write them.

Habits:
- Give each project a folder of its own with a README that says what it is and how to run it; read it first when you come back.
- The files outlive this conversation and others may work here too: look before you overwrite, and leave notes for whoever comes next.
- Put scratch files into tmp/ and remove them when you are done.
- Use version control where a project has it, and commit what you finish.
- Install dependencies into the project (a virtual environment, node_modules), not into the system.
</workspace>`;
}
