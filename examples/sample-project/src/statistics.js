// TODO: an empty list gives NaN; say so instead.
export function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

// TODO: a median would be less shaken by one hot day.
export function warmest(days) {
  return days.reduce((best, day) => (day.high > best.high ? day : best));
}
