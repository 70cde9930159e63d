import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.ts';

interface OptionBase {
  /** What it does, and its default. */
  readonly help: string;
}

export interface FlagOption extends OptionBase {
  readonly type: 'boolean';
}

export interface ValueOption extends OptionBase {
  readonly type: 'string';
  /** What stands for the value in the help, such as `DIR`. */
  readonly value: string;
  readonly multiple?: boolean | undefined;
}

/** A command's options by their names, without the dashes. */
export type OptionTable = Readonly<Record<string, FlagOption | ValueOption>>;

/** What was given, by the names of the options. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends FlagOption
    ? boolean
    : Table[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string;
};

export interface ParsedArguments<Table extends OptionTable> {
  readonly values: OptionValues<Table>;
  readonly positionals: readonly string[];
}

/** @throws UsageError for an option that the table does not have, or a value that is missing or not wanted */
export function parseOptions<Table extends OptionTable>(
  table: Table,
  argv: readonly string[],
  { positionals = 0 }: { readonly positionals?: number | undefined } = {},
): ParsedArguments<Table> {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    const options = Object.fromEntries(
      Object.entries(table).map(([name, option]) => [
        name,
        { type: option.type, multiple: option.type === 'string' && option.multiple === true },
      ]),
    );
    parsed = parseArgs({ args: [...argv], options, allowPositionals: positionals > 0 });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
  if (parsed.positionals.length > positionals) {
    throw new UsageError(`There is no use for ${JSON.stringify(parsed.positionals[positionals])}.`);
  }
  return { values: parsed.values as OptionValues<Table>, positionals: parsed.positionals };
}

const INDENT = 26;

/** A line for each option. */
export function optionsHelp(table: OptionTable): string {
  return Object.entries(table)
    .map(([name, option]) => {
      const left = `  --${name}${option.type === 'string' ? ` ${option.value}` : ''}`;
      const [first = '', ...rest] = option.help.split('\n');
      const head = left.length < INDENT ? left.padEnd(INDENT) : `${left}\n${' '.repeat(INDENT)}`;
      return [`${head}${first}`, ...rest.map((line) => ' '.repeat(INDENT) + line)].join('\n');
    })
    .join('\n');
}
