import { WorkspaceError } from '@agent-workspace/core';
import { runDemo } from './demo.ts';
import { parseOptions, UsageError } from './options.ts';

const FAILED = 1;
const USAGE = 2;
/** What the workspace stands on is not to be had, such as an engine. */
const NO_WORKSPACE = 3;

try {
  const options = parseOptions(process.argv.slice(2), process.env);
  const report = await runDemo(options, options.isJson ? console.error : console.log);
  if (options.isJson) console.log(JSON.stringify(report));
  else console.log(`\n${report.durations.totalMs} ms in all. The workspace stays in ${report.directory}`);
} catch (error) {
  if (error instanceof UsageError) {
    console.error(error.message);
    process.exitCode = USAGE;
  } else if (WorkspaceError.isInstance(error)) {
    console.error(`\n${error.message} (${error.code})`);
    process.exitCode = NO_WORKSPACE;
  } else {
    console.error(error);
    process.exitCode = FAILED;
  }
}
