import { execFile } from 'node:child_process';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { makeInstalledLayout } from '../installed-layout.ts';
import type { Subject } from '../measure.ts';

const run = promisify(execFile);

const OURS = '@agent-workspace/local';
const PEERS = { '@mastra/core': '@mastra/core/workspace', deepagents: 'deepagents/node' };

/**
 * A fresh node process that imports one module, from its start to its end; against one that imports
 * nothing. What the import takes is the difference.
 */
export const importTime: Benchmark = {
  name: 'import',
  async run(scratch) {
    const directory = join(scratch, 'import');
    await makeInstalledLayout(OURS, directory);
    for (const name of Object.keys(PEERS)) {
      const link = join(directory, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(await realpath(join(import.meta.dirname, '..', '..', 'node_modules', name)), link);
    }
    const subject = async (name: string, source: string): Promise<Subject> => {
      const file = join(directory, `${name.replaceAll('/', '-')}.js`);
      await writeFile(file, source);
      return { name, call: () => run(process.execPath, [file]) };
    };
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
    return await compare({
      name: 'import',
      subjects: [
        await subject('ours', `import '${OURS}';`),
        await subject('node', ''),
        ...(await Promise.all(Object.entries(PEERS).map(([name, module]) => subject(name, `import '${module}';`)))),
      ],
      bars: { node: { bar: 1.5, barMs: 60 } },
      calls: 20,
      warmUpCalls: 2,
    });
  },
};
