// Draws the chart of a tool's result: {kind, title, x: {label, values}, series: [{name, values}], caption?}.
// Every text is set as text, every shape made as an element; the table behind the switch holds the same numbers.

import { make } from "./elements.js";

const KINDS = ["line", "bar", "horizontal", "stacked"];
const SVG = "http://www.w3.org/2000/svg";
const COLORS = 8; // chart.css has so many

// A figure with a switch between chart and table, or null where there is nothing that could be drawn.
export function figure(chart) {
  if (!fit(chart)) return null;
  const whole = make("figure", "chart");
  const head = make("figcaption");
  const [asChart, asTable] = [button("Chart"), button("Table")];
  const row = make("div", "switch");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `How to show ${chart.title}`);
  row.append(asChart, asTable);
  head.append(make("b", "", chart.title), row);
  const [drawing, numbers] = [make("div", "drawing"), make("div", "table")];
  drawing.append(...(chart.series.length > 1 ? [legend(chart.series)] : []), draw(chart));
  numbers.append(table(chart));
  const show = (first) => {
    drawing.hidden = !first;
    numbers.hidden = first;
    asChart.setAttribute("aria-pressed", String(first));
    asTable.setAttribute("aria-pressed", String(!first));
  };
  asChart.onclick = () => show(true);
  asTable.onclick = () => show(false);
  show(true);
  whole.append(head, drawing, numbers, ...(chart.caption ? [make("small", "", chart.caption)] : []));
  return whole;
}

function fit(chart) {
  const values = chart?.x?.values;
  return (
    KINDS.includes(chart?.kind) &&
    Array.isArray(values) &&
    values.length > 0 &&
    Array.isArray(chart.series) &&
    chart.series.length > 0 &&
    chart.series.every((one) => one?.values?.length === values.length && one.values.every(Number.isFinite))
  );
}

// Drawing --------------------------------------------------------------------------------------------------------------

function draw(chart) {
  const [low, high] = range(chart);
  const steps = ticks(low, high);
  // As wide as there is room now, so that letters keep their size on a small screen.
  const wide = Math.min(720, Math.max(300, window.innerWidth - 72));
  const plane = chart.kind === "horizontal" ? lying(chart, steps, wide) : standing(chart, steps, wide);
  const image = svg("svg", { viewBox: `0 0 ${wide} ${plane.height}`, role: "img" });
  image.setAttribute("aria-label", `${chart.title}: ${chart.kind} chart of ${chart.x.values.length} values`);
  image.append(...plane.shapes);
  return image;
}

// From the lowest to the highest value, zero included, so that lengths can be compared.
function range({ kind, series, x }) {
  const sums = x.values.map((_, at) => series.reduce((sum, one) => sum + one.values[at], 0));
  const all = kind === "stacked" ? sums : series.flatMap((one) => one.values);
  return [Math.min(0, ...all), Math.max(0, ...all)];
}

// Round numbers that enclose the range, five or so.
function ticks(low, high) {
  if (low === high) high = low + 1;
  const rough = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough);
  const first = Math.floor(low / step);
  const count = Math.ceil(high / step) - first;
  return Array.from({ length: count + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function standing({ kind, series, x }, steps, wide) {
  const [height, left, right, top, bottom] = [300, 56, 12, 12, 46];
  const n = x.values.length;
  const y = scale(steps, height - bottom, top);
  const slot = (wide - left - right) / n;
  const middle = (at) => left + slot * (at + 0.5);
  const shapes = steps.flatMap((value) => [
    svg("line", { class: value ? "grid" : "zero", x1: left, x2: wide - right, y1: y(value), y2: y(value) }),
    text(left - 8, y(value) + 4, short(value), "end"),
  ]);
  const every = Math.ceil((n * Math.max(...x.values.map((value) => width(clip(value, 14))), 20)) / (wide - left - right));
  x.values.forEach((value, at) => {
    if (at % every === 0) shapes.push(named(text(middle(at), height - bottom + 18, clip(value, 14), "middle"), value));
  });
  shapes.push(text(left + (wide - left - right) / 2, height - 6, clip(x.label, 60), "middle", "label"));
  if (kind === "line") return { height, shapes: [...shapes, ...series.flatMap((one, at) => lineOf(one, at, x, middle, y))] };
  const thick = Math.min(slot * 0.8, 64);
  const below = x.values.map(() => 0);
  series.forEach((one, which) => {
    one.values.forEach((value, at) => {
      const begin = kind === "stacked" ? below[at] : 0;
      below[at] += value;
      const broad = kind === "stacked" ? thick : thick / series.length;
      const across = middle(at) - thick / 2 + (kind === "stacked" ? 0 : broad * which);
      const [from, to] = [y(begin), y(begin + value)];
      const bar = { x: across, y: Math.min(from, to), width: Math.max(broad - 0.5, 0.5), height: Math.abs(from - to) };
      shapes.push(named(svg("rect", { class: color(which), ...bar }), point(x.values[at], one.name, value)));
    });
  });
  return { height, shapes };
}

function lineOf(one, which, x, middle, y) {
  const points = one.values.map((value, at) => `${middle(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const dots = one.values.map((value, at) =>
    named(
      svg("circle", { class: color(which), cx: middle(at), cy: y(value), r: one.values.length > 60 ? 1.5 : 3 }),
      point(x.values[at], one.name, value),
    ),
  );
  return [svg("polyline", { class: color(which), points }), ...dots];
}

function lying({ series, x }, steps, wide) {
  const left = Math.min(220, wide * 0.4);
  const letters = Math.floor(left / 6.6) - 2;
  const [band, right, top, bottom] = [series.length > 1 ? 12 * series.length + 8 : 24, 52, 8, 24];
  const height = top + band * x.values.length + bottom;
  const across = scale(steps, left, wide - right);
  const shapes = steps.flatMap((value) => [
    svg("line", { class: value ? "grid" : "zero", x1: across(value), x2: across(value), y1: top, y2: height - bottom }),
    text(across(value), height - 6, short(value), "middle"),
  ]);
  x.values.forEach((label, at) => {
    const begin = top + band * at;
    // The end of a path tells more than its beginning.
    const name = label.length > letters ? `\u2026${label.slice(1 - letters)}` : label;
    shapes.push(named(text(left - 8, begin + band / 2 + 4, name, "end"), label));
    series.forEach((one, which) => {
      const [from, to] = [across(0), across(one.values[at])];
      const thick = (band - 6) / series.length;
      const bar = { x: Math.min(from, to), y: begin + 3 + thick * which, width: Math.abs(from - to), height: thick };
      shapes.push(named(svg("rect", { class: color(which), ...bar }), point(label, one.name, one.values[at])));
      if (series.length === 1) shapes.push(text(Math.max(from, to) + 5, begin + band / 2 + 4, short(one.values[at]), "start"));
    });
  });
  return { height, shapes };
}

function scale(steps, begin, end) {
  const [low, high] = [steps[0], steps.at(-1)];
  return (value) => begin + ((value - low) / (high - low)) * (end - begin);
}

// Words and elements ---------------------------------------------------------------------------------------------------

function table({ x, series }) {
  const whole = make("table");
  const line = (tag, texts) => {
    const row = make("tr");
    row.append(...texts.map((content) => make(tag, "", content)));
    return row;
  };
  whole.append(line("th", [x.label, ...series.map((one) => one.name)]));
  whole.append(...x.values.map((value, at) => line("td", [value, ...series.map((one) => full(one.values[at]))])));
  return whole;
}

function legend(series) {
  const list = make("ul", "legend");
  list.append(...series.map((one, at) => make("li", color(at), one.name)));
  return list;
}

function button(name) {
  return make("button", "", name);
}

function svg(tag, values) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value));
  return element;
}

function text(x, y, content, anchor, name = "tick") {
  const element = svg("text", { class: name, x, y, "text-anchor": anchor });
  element.textContent = content;
  return element;
}

function named(element, content) {
  const title = svg("title", {});
  title.textContent = content;
  element.append(title);
  return element;
}

const color = (at) => `c${at % COLORS}`;
const clip = (value, most) => (value.length > most ? `${value.slice(0, most - 1)}\u2026` : value);
const width = (label) => label.length * 6.6 + 12;
const full = (value) => value.toLocaleString(undefined, { maximumFractionDigits: 6 });
const short = (value) => value.toLocaleString(undefined, { notation: "compact", maximumFractionDigits: 2 });
const point = (label, name, value) => `${label}: ${name} ${full(value)}`;
