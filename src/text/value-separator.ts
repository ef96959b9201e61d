/**
 * What stands in front of each value where the core or beneficiary fields of a row are put into one text (DESIGN §7).
 * It cannot occur in a valid value: control characters are refused. Payment keys are hashes of such texts: with another
 * character no payment of an earlier build would be found again.
 */
export const VALUE_SEPARATOR = "\u001f";
