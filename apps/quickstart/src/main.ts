import { runDemo } from './demo.ts';
import { parseOptions, UsageError } from './options.ts';

const USAGE_EXIT_CODE = 2;

try {
  const options = parseOptions(process.argv.slice(2), process.env);
  const report = await runDemo(options, options.isJson ? console.error : console.log);
  if (options.isJson) console.log(JSON.stringify(report));
  else console.log(`\n${report.durations.totalMs} ms in all. The workspace stays in ${report.workdir}`);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
}
