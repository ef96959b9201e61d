import type { ResultStatus } from "../../journal/state.ts";
import type { ByStatus, Tally } from "../../journal/batch-record.ts";
import { occurringIn, RESULT_STATUSES } from "../words/status.ts";
import { asIs, html, NOTHING, type Html } from "./html.ts";

/** A colour and a pattern per status: on a black-and-white print the pattern alone tells them apart. */
const PATTERNS: Readonly<Record<ResultStatus, string>> = {
  accepted: `<rect width="8" height="8" class="ink"/>`,
  rejected: `<rect width="8" height="8" class="tint"/><path d="M-2 2 2-2M0 8 8 0M6 10l4-4" class="line"/>`,
  unknown: `<rect width="8" height="8" class="tint"/><path d="M0 8 8 0M0 0l8 8" class="line"/>`,
  not_sent: `<rect width="8" height="8" class="tint"/><path d="M0 7.5h8" class="thin"/>`,
  invalid: `<rect width="8" height="8" class="tint"/><path d="M2 0v8M6 0v8" class="line"/>`,
  held: `<rect width="8" height="8" class="tint"/><circle cx="2" cy="2" r="1.3" class="ink"/><circle cx="6" cy="6" r="1.3" class="ink"/>`,
  duplicate: `<rect width="8" height="8" class="tint"/><path d="M7.5 0v8" class="thin"/>`,
  settled_done: `<rect width="8" height="8" class="ink"/><path d="M0 8 8 0" class="gap"/>`,
  settled_not_done: `<rect width="8" height="8" class="tint"/><path d="M0 2h8M0 6h8" class="line"/>`,
};

/** Defined once in the page; the bars refer to them. */
export function barPatterns(): Html {
  const patterns = RESULT_STATUSES.map((status) =>
    asIs(
      `<pattern id="p-${status}" width="8" height="8" patternUnits="userSpaceOnUse" class="s-${status}">${PATTERNS[status]}</pattern>`,
    ),
  );
  return html`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false">
    <defs>${patterns}</defs>
  </svg>`;
}

/** Every status as its share of the rows, side by side; one row of a million is still to be seen. */
export function stackedBar(total: Tally, byStatus: ByStatus, label: string): Html {
  const present = occurringIn(byStatus);
  const shares = present.map(([, { rows }]) => Math.max(SHARE_MIN, rows / total.rows));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let before = 0;
  const parts = present.map(([status], index) => {
    const share = (shares[index] ?? 0) / whole;
    const seam = before > 0 ? html`<rect x="${percent(before)}" width="1.5" height="100%" class="seam" />` : NOTHING;
    const part = html`<rect
        x="${percent(before)}"
        width="${percent(share)}"
        height="100%"
        fill="url(#p-${status})"
      />${seam}`;
    before += share;
    return part;
  });
  return html`<svg class="bar" width="100%" height="16" role="img" aria-label="${label}">${parts}</svg>`;
}

const SHARE_MIN = 0.006;

/** The little square that says which pattern is which. */
export function swatch(status: ResultStatus): Html {
  return html`<svg class="swatch" width="14" height="14" aria-hidden="true" focusable="false">
    <rect width="14" height="14" fill="url(#p-${status})" />
  </svg>`;
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}
