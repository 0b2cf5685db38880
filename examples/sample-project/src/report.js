import { readFileSync } from 'node:fs';
import { mean, warmest } from './statistics.js';

const [, ...lines] = readFileSync(new URL('../data/week.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const days = lines.map((line) => {
  const [day, high, low] = line.split(',');
  return { day, high: Number(high), low: Number(low) };
});

console.log(`Mean high: ${mean(days.map((day) => day.high)).toFixed(1)} °C`);
console.log(`Mean low: ${mean(days.map((day) => day.low)).toFixed(1)} °C`);
console.log(`Warmest day: ${warmest(days).day}`);
