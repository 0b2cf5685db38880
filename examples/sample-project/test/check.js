import assert from 'node:assert/strict';
import { mean, warmest } from '../src/statistics.js';

const checks = {
  'the mean of three numbers': () => assert.equal(mean([20, 22, 27]), 23),
  'the mean of one number is that number': () => assert.equal(mean([5]), 5),
  'the warmest day is the one with the highest high': () =>
    assert.equal(
      warmest([
        { day: 'Monday', high: 21 },
        { day: 'Saturday', high: 26 },
        { day: 'Sunday', high: 25 },
      ]).day,
      'Saturday',
    ),
};

for (const [name, check] of Object.entries(checks)) {
  check();
  console.log(`ok: ${name}`);
}
console.log(`${Object.keys(checks).length} checks passed`);
