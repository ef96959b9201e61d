/**
 * Whether a column's name looks like a misspelt field: one slip of the keyboard in a short name, two in a longer one
 * (an extra, missing or wrong letter, or two letters swapped). Both names as `normalizeName` gives them.
 */
export function looksMisspelt(name: string, fieldName: string): boolean {
  const slipsMax = fieldName.length <= SHORT_NAME_CHARACTERS_MAX ? 1 : 2;
  if (Math.abs(name.length - fieldName.length) > slipsMax) return false;
  return countSlips(name, fieldName) <= slipsMax;
}

const SHORT_NAME_CHARACTERS_MAX = 5;

/** Damerau-Levenshtein distance, in which two swapped neighbours count once. */
function countSlips(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      let slips = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap) slips = Math.min(slips, at(beforeLast, j - 2) + 1);
      row.push(slips);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
