// Tells when a run that took long is over: a notice, and a program of yours when the flag names one.
// Try: pi -e examples/extensions/tell-when-done.ts --done-program=true --provider offline -p "hello"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerFlag('done-program', { type: 'string', description: 'Started when a run is over' });
  let startedAt = 0;
  pi.on('agent_start', () => {
    startedAt = Date.now();
  });
  pi.on('agent_end', async (_event, ctx) => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    ctx.ui.notify(`Done after ${seconds} s`);
    const program = pi.getFlag('done-program');
    if (typeof program !== 'string') return;
    const { code } = await pi.exec(program, [String(seconds)], { timeout: 5_000 });
    console.log(`${program} ended with ${code}`);
  });
}
