/** One line of `pi doctor`. */
export interface Finding {
  /** For programs: which check it is. */
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  fix?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warn = (check: string, message: string, fix: string): Finding => ({ check, status: 'warn', message, fix });
export const fail = (check: string, message: string, fix: string): Finding => ({ check, status: 'fail', message, fix });

export interface DoctorPlace {
  agentDir: string;
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
}
