import { LIBRARY, QUESTION, TABLE } from './question.ts';
import type { Call, Step } from './scripted-model.ts';

const EXPORTED_FUNCTION = '^export (async )?function';

/**
 * How the scripted analyst works on the question. It uses every kind of thing that a workspace
 * offers, and knows nothing but what its tools tell it: after its context has been compressed, it
 * has to look up what it no longer sees.
 *
 * @param workdir the directory of the workspace
 */
export function analystScript(workdir: string): readonly Step[] {
  let skillFolder = '';
  let state = '';
  let count = '';
  let north = '';
  let library = '';
  let answer = '';
  const absolute = (path: string): string => `${workdir}/${path}`;

  return [
    // Learns what there is: the skill, the files, and what earlier sessions knew.
    () => [
      call('Skill', { skill: 'table-report' }),
      call('Glob', { pattern: '**/*.ts', path: LIBRARY }),
      call('mcp__memory__read_graph', {}),
    ],
    // Reads the whole table through a server: too long for the context, so that it is offloaded.
    ({ results: [skill = ''] }) => {
      skillFolder = find(skill, /The folder of this skill is (.+)/u);
      return [call('mcp__files__read_text_file', { path: absolute(TABLE) })];
    },
    // Reads the header back by the reference that the preview gave.
    ({ results: [preview = ''] }) => [
      call('Read', { file_path: find(preview, /All of it is in (.+?)\. Read it with/u), limit: 2 }),
    ],
    // Counts and draws, as the skill says.
    ({ results: [header = ''] }) => {
      const column = find(header, /\b(state)\b/u);
      return [
        call('Bash', { command: `node '${skillFolder}/scripts/count.mjs' ${TABLE} ${column}` }),
        call('Bash', { command: `node '${skillFolder}/scripts/chart.mjs' ${TABLE} ${column} chart.png` }),
      ];
    },
    // Looks at the chart twice: the same image comes by two ways.
    ({ results: [counts = ''] }) => {
      state = find(counts, /^(\w+)\t\d+$/mu);
      count = find(counts, /^\w+\t(\d+)$/mu);
      return [
        call('Read', { file_path: 'chart.png' }),
        call('mcp__files__read_media_file', { path: absolute('chart.png') }),
      ];
    },
    ({ images }) => {
      if (images !== 2) throw new Error(`Two images were to be seen, and ${images} were.`);
      return [call('Grep', { pattern: `,${state},USA,`, path: TABLE, output_mode: 'content', head_limit: 0 })];
    },
    // The rows have filled the context, which has been compressed by now.
    ({ results: [rows = ''] }) => {
      north = furthestNorth(rows.split('\n'));
      return [call('Grep', { pattern: EXPORTED_FUNCTION, path: LIBRARY, output_mode: 'count' })];
    },
    // How many rows there are in all was said before the compression.
    ({ results: [counts = ''], prompt }) => {
      library = mostFunctions(counts.split('\n'));
      const context = find(prompt, /They are all in (.+?), one JSON message a line/u);
      return [call('Grep', { pattern: '[0-9]+ rows in all', path: context, output_mode: 'content' })];
    },
    ({ results: [found = ''] }) => {
      const rows = find(found, /(\d+) rows in all/u);
      answer = `${state} has the most airports: ${count} of ${rows}. Furthest north is ${north}. ${library}`;
      const content = `# Findings\n\n> ${QUESTION}\n\nStatus: draft\n\n- ${answer} (${TABLE}, ${LIBRARY})\n`;
      return [call('Write', { file_path: 'report.md', content })];
    },
    () => [
      call('Edit', { file_path: 'report.md', old_string: 'Status: draft', new_string: 'Status: final' }),
      call('mcp__memory__create_entities', {
        entities: [{ name: 'findings', entityType: 'answer', observations: [answer] }],
      }),
    ],
    () => [call('Read', { file_path: 'report.md' })],
    ({ results: [report = ''] }) => find(report, /- (.+) \(inputs/u),
  ];
}

function call(tool: string, input: Readonly<Record<string, unknown>>): Call {
  return { tool, input };
}

function find(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`The script looked for ${String(pattern)} in:\n${text.slice(0, 500)}`);
  return found;
}

/** @param lines rows of the table behind a path and a line number */
function furthestNorth(lines: readonly string[]): string {
  const airports = lines.flatMap((line) => {
    const row = /:\d+:(?<code>\w+),(?<name>"(?:[^"]|"")*"|[^",]*),.*,(?<latitude>-?[\d.]+),-?[\d.]+$/u.exec(line);
    return row?.groups === undefined ? [] : [row.groups];
  });
  const [first] = airports.toSorted((a, b) => Number(b['latitude']) - Number(a['latitude']));
  if (first === undefined) throw new Error('No rows were found.');
  return `${first['name']} (${first['code']}, ${Number(first['latitude']).toFixed(2)}° N)`;
}

/** @param lines `path:count` */
function mostFunctions(lines: readonly string[]): string {
  const files = lines.flatMap((line) => {
    const entry = /(?<file>[^/]+):(?<count>\d+)$/u.exec(line);
    return entry?.groups === undefined ? [] : [entry.groups];
  });
  const [first] = files.toSorted((a, b) => Number(b['count']) - Number(a['count']));
  if (first === undefined) throw new Error('No exported functions were found.');
  return `In the library, ${first['file']} exports the most functions: ${first['count']}.`;
}
