/** Writes the answer to stdout; resolves when the system has taken it. A closed pipe is no error: nobody reads on. */
export function writeStdout(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(text, () => resolve());
  });
}
