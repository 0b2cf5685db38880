const EXIT_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Runs work that starts programs of its own: told to end, this process ends them first, and the work cleans up. Gives the exit code.
 */
export async function runUntilSignal(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController();
  let code: number | undefined;
  const stop = (name: NodeJS.Signals): void => {
    code = EXIT_CODES[name];
    controller.abort();
  };
  const names = Object.keys(EXIT_CODES) as NodeJS.Signals[];
  for (const name of names) process.on(name, stop);
  try {
    const result = await work(controller.signal);
    return code ?? result;
  } finally {
    for (const name of names) process.off(name, stop);
  }
}
