import type { ExtensionRecord } from './extension-record.js';

/** What the user wants the names of one extension to be. */
export interface Naming {
  /** Where several have a name, this one's is taken. */
  prefer?: boolean | undefined;
  /** Name -> another name, or false for none. */
  tools?: Readonly<Record<string, string | false>> | undefined;
  commands?: Readonly<Record<string, string | false>> | undefined;
}

/** The user's wishes by an extension's path, its name, or the source of its package. */
export class NamingRules {
  readonly #rules: Readonly<Record<string, Naming>>;

  constructor(rules: Readonly<Record<string, Naming>> = {}) {
    this.#rules = rules;
  }

  /** The name to use, or undefined when it is turned off. */
  nameOf(kind: 'tools' | 'commands', record: ExtensionRecord, name: string): string | undefined {
    const names = this.#of(record)?.[kind];
    const wished = names && Object.hasOwn(names, name) ? names[name] : undefined;
    return wished === false ? undefined : (wished ?? name);
  }

  /** In order of rank, those that are preferred first. */
  ordered(records: readonly ExtensionRecord[]): readonly ExtensionRecord[] {
    const preferred = records.filter((record) => this.#of(record)?.prefer);
    return preferred.length === 0 ? records : [...preferred, ...records.filter((record) => !preferred.includes(record))];
  }

  #of({ spec: { path, name, sourceInfo } }: ExtensionRecord): Naming | undefined {
    for (const key of [path, name, sourceInfo.source]) if (Object.hasOwn(this.#rules, key)) return this.#rules[key];
    return undefined;
  }
}
