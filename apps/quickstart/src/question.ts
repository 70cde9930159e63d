/** Where the app puts the agent's material in the workspace. `data` is the workspace's own. */
export const TABLE: string = 'inputs/airports.csv';
export const LIBRARY: string = 'inputs/library';

/** What the agent is asked. */
export const QUESTION: string =
  `${TABLE} lists the airports of the United States. Which state has the most, how many of how many, and which of ` +
  `them is furthest north? And in ${LIBRARY}, the source of a library, which file exports the most functions, and ` +
  'how many? Put your findings into report.md, and remember them for later sessions.';
