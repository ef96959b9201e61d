import { durationText } from "../screen/look.ts";
import type { Clock } from "./clock.ts";
import { html, NOTHING, type Html } from "./html.ts";
import { stretchesOf, type Column, type Stretch } from "./timeline-axis.ts";
import { quantileOf, SENT_KINDS, type Timeline } from "./timeline.ts";

interface Size {
  readonly width: number;
  readonly name: "wide" | "narrow";
}

/** Drawn twice, for a page and for a phone: a drawing that is only shrunk cannot be read. */
const SIZES: readonly Size[] = [
  { width: 720, name: "wide" },
  { width: 312, name: "narrow" },
];

const LEFT = 46;
const ROWS_TOP = 18;
const ROWS_HEIGHT = 84;
const ANSWERS_TOP = ROWS_TOP + ROWS_HEIGHT + 30;
const ANSWERS_HEIGHT = 64;
const AXIS_TOP = ANSWERS_TOP + ANSWERS_HEIGHT;
const HEIGHT = AXIS_TOP + 38;

/** When rows were sent and how long the answers took. */
export function timelineSvg(timeline: Timeline, clock: Clock, label: string): Html {
  const drawings = SIZES.map(
    ({ width, name }) =>
      html`<svg class="timeline ${name}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${label}">
        ${drawing(timeline, clock, width)}
      </svg>`,
  );
  return html`<div class="timelines">${drawings}</div>`;
}

function drawing(timeline: Timeline, clock: Clock, width: number): Html {
  const stretches = stretchesOf(timeline, width - LEFT - 6, 64);
  return html`<text x="0" y="9" class="caption">rows sent</text>${rowsPanel(stretches)}
    <text x="0" y="${ANSWERS_TOP - 9}" class="caption">time to answer: middle and slowest</text
    >${answersPanel(timeline, stretches, width)} ${stretches.map((stretch) => axisOf(stretch, clock))}`;
}

function rowsPanel(stretches: readonly Stretch[]): Html {
  const columns = stretches.flatMap((stretch) => stretch.columns);
  const most = niceAbove(Math.max(1, ...columns.map(rowsIn)));
  const bars = columns.flatMap((column) => {
    let bottom = ROWS_TOP + ROWS_HEIGHT;
    return SENT_KINDS.flatMap((kind) => {
      const rows = column.slot.rows[kind];
      if (rows === 0) return [];
      const height = Math.max(1, (rows / most) * ROWS_HEIGHT);
      bottom -= height;
      return [
        html`<rect
          x="${fine(LEFT + column.x)}"
          y="${fine(bottom)}"
          width="${fine(barWidth(column))}"
          height="${fine(height)}"
          fill="url(#p-${kind})"
        />`,
      ];
    });
  });
  return html`${gridLine(ROWS_TOP, String(most), stretches)}${gridLine(ROWS_TOP + ROWS_HEIGHT, "0", stretches)}${bars}`;
}

/** On a scale of powers of ten: a stalled answer and a quick one are both to be seen. */
function answersPanel(timeline: Timeline, stretches: readonly Stretch[], width: number): Html {
  if (timeline.answered === 0) {
    return html`<text x="${LEFT}" y="${ANSWERS_TOP + 20}" class="tick">no answer came</text>`;
  }
  const slowestMs = timeline.slowest?.durationMs ?? 1;
  const [from, to] = [Math.floor(Math.log10(Math.max(1, timeline.medianMs / 3))), Math.ceil(Math.log10(slowestMs + 1))];
  const bottom = ANSWERS_TOP + ANSWERS_HEIGHT;
  const yOf = (ms: number): number => {
    const share = (Math.log10(Math.max(1, ms)) - from) / Math.max(1, to - from);
    return bottom - Math.min(1, Math.max(0, share)) * ANSWERS_HEIGHT;
  };
  const marks = stretches
    .flatMap((stretch) => stretch.columns)
    .filter(({ slot }) => slot.slowestMs > 0)
    .map((column) => {
      const middle = LEFT + column.x + barWidth(column) / 2;
      const [median, slowest] = [yOf(quantileOf(column.slot.answers, 0.5)), yOf(column.slot.slowestMs)];
      return html`<path d="M${fine(middle)} ${fine(Math.max(median, slowest))}V${fine(slowest)}" class="range" /><circle
          cx="${fine(middle)}"
          cy="${fine(median)}"
          r="2"
          class="dot"
        />`;
    });
  const decades = Array.from({ length: Math.max(1, to - from) + 1 }, (_, index) => 10 ** (from + index));
  const shown = decades.filter((_, index) => decades.length <= 4 || index % 2 === 0);
  const lines = shown.map((ms) => gridLine(yOf(ms), durationText(ms), stretches));
  return html`${lines}${marks}<path d="M${LEFT} ${bottom}H${width - 6}" class="axis invisible" />`;
}

function axisOf({ x, width, ticks, tickMs, fromMs, toMs }: Stretch, clock: Clock): Html {
  const from = fine(LEFT + x);
  const labels = ticks.map(
    (tick) =>
      html`<path d="M${fine(LEFT + tick.x)} ${AXIS_TOP}v4" class="axis" /><text
          x="${fine(LEFT + tick.x)}"
          y="${AXIS_TOP + 15}"
          class="tick middle"
          >${clock.time(tick.atMs, tickMs)}</text
        >`,
  );
  const none =
    ticks.length === 0
      ? html`<text x="${from}" y="${AXIS_TOP + 15}" class="tick">${clock.time(fromMs, toMs - fromMs)}</text>`
      : NOTHING;
  return html`<path d="M${from} ${AXIS_TOP}h${fine(width)}" class="axis" />${labels}${none}<text
      x="${from}"
      y="${AXIS_TOP + 30}"
      class="tick strong"
      >${clock.day(fromMs)}</text
    >`;
}

function gridLine(y: number, label: string, stretches: readonly Stretch[]): Html {
  const lines = stretches.map(({ x, width }) => `M${fine(LEFT + x)} ${fine(y)}h${fine(width)}`);
  return html`<path d="${lines.join("")}" class="grid" /><text x="${LEFT - 6}" y="${fine(y + 3.5)}" class="tick end"
      >${label}</text
    >`;
}

function rowsIn({ slot }: Column): number {
  return SENT_KINDS.reduce((sum, kind) => sum + slot.rows[kind], 0);
}

/** Even a single moment is drawn as a bar, not as a block. */
function barWidth({ width }: Column): number {
  return Math.max(1, Math.min(18, width - 1));
}

/** 1, 2, 5, 10, 20, 50 … not below the value. */
function niceAbove(value: number): number {
  const ten = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * ten).find((nice) => nice >= value) ?? value;
}

function fine(value: number): string {
  return String(Math.round(value * 10) / 10);
}
