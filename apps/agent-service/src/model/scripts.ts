import type { Answer, Call, Step, StepView } from './scripted-model.ts';

/** What is said with a command: the words behind it, and the number of the turn, from 1. */
interface Request {
  readonly words: string;
  readonly turn: number;
}

type Script = (request: Request) => readonly Step[];

/** A line for each call of a step, cut short. */
const SHOWN_CHARS = 500;

/**
 * What the scripted model does with a message that begins with the command; any other message is for
 * `tour`. Each tries one thing that an agent may do.
 */
const SCRIPTS: Readonly<Record<string, Script>> = {
  /** Looks around, writes the message down, and reads it back. */
  tour: ({ words, turn }) => {
    const file_path = `notes/${turn}.md`;
    return [
      () => calls({ tool: 'Glob', input: { pattern: '**/*' } }),
      () => calls({ tool: 'Write', input: { file_path, content: `# ${turn}\n\n${words}\n` } }),
      () => calls({ tool: 'Read', input: { file_path } }),
      ({ results: [text = ''] }) => say(`I wrote it down in ${file_path}:\n\n${text}`),
    ];
  },
  /** Says the words, without a tool. */
  say: ({ words }) => [() => say(words)],
  /** `/write PATH TEXT` */
  write: ({ words }) => {
    const [path = '', ...text] = words.split(' ');
    return [
      () => calls({ tool: 'Write', input: { file_path: path, content: text.join(' ') } }),
      ({ results }) => say(shown(results)),
    ];
  },
  /** `/read PATH` */
  read: ({ words }) => [
    () => calls({ tool: 'Read', input: { file_path: words } }),
    ({ results }) => say(shown(results)),
  ],
  /** `/run COMMAND`, in the shell. */
  run: ({ words }) => [() => calls({ tool: 'Bash', input: { command: words } }), ({ results }) => say(shown(results))],
  /** `/call TOOL JSON` */
  call: ({ words }) => {
    const [tool = '', ...json] = words.split(' ');
    const input = JSON.parse(json.join(' ') || '{}') as Call['input'];
    return [() => calls({ tool, input }), ({ results }) => say(shown(results))];
  },
  /** `/hang COMMAND` runs it, says what came of it, and never comes to an end. */
  hang: ({ words }) => [
    () => calls(words === '' ? { tool: 'Glob', input: { pattern: '*' } } : { tool: 'Bash', input: { command: words } }),
    ({ results }) => ({ say: `${shown(results)}\nThinking about it … `, isEndless: true }),
  ],
  /** The model fails, as one whose provider is away does. */
  fail: ({ words }) => [
    () => {
      throw new Error(words === '' ? 'The scripted model fails, as it was told to.' : words);
    },
  ],
};

/** The steps that a message asks for. */
export function scriptFor(message: string, turn: number): readonly Step[] {
  const [, name = '', words = ''] = /^\/(\w+)(?:\s+([\s\S]*))?$/u.exec(message.trim()) ?? [];
  const script = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined;
  if (script !== undefined) return script({ words: words.trim(), turn });
  return SCRIPTS['tour']?.({ words: message, turn }) ?? [];
}

function calls(...list: readonly Call[]): Answer {
  return { calls: list };
}

function say(text: string): Answer {
  return { say: text };
}

function shown(results: StepView['results']): string {
  return results.map((text) => text.slice(0, SHOWN_CHARS)).join('\n');
}
