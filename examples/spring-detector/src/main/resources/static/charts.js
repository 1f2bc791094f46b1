// SPDX-License-Identifier: Apache-2.0
// Draws on canvases, in the colours that the style sheet has for the scheme.

const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Clears a canvas, as large as it is shown now, and returns what draws on it, and where, with room for words. */
function begin(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const em = 0.75 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.font = `${em}px system-ui, sans-serif`;
  pen.fillStyle = color('--muted');
  pen.strokeStyle = color('--line');
  return { pen, em, left: 3.5 * em, right: width - 0.6 * em, top: 0.6 * em, bottom: height - 1.8 * em };
}

/** A round number that is not less. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return power * [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].find(step => step * power >= value);
}

function text(pen, words, x, y, align) {
  pen.textAlign = align;
  pen.fillText(words, x, y);
}

/** Draws what `points` have under the names of `curves`, against the seconds until now. */
export function lines(canvas, seconds, now, points, curves, format) {
  const { pen, em, left, right, top, bottom } = begin(canvas);
  const most = roundUp(Math.max(...points.flatMap(point => curves.map(curve => point[curve.name]))));
  for (const share of [0, 0.5, 1]) {
    const y = bottom - share * (bottom - top);
    pen.beginPath();
    pen.moveTo(left, y);
    pen.lineTo(right, y);
    pen.stroke();
    text(pen, format.format(share * most), left - em / 2, y + em / 3, 'right');
  }
  text(pen, seconds + ' s ago', left, bottom + 1.3 * em, 'left');
  text(pen, 'now', right, bottom + 1.3 * em, 'right');
  pen.lineJoin = 'round';
  for (const curve of curves) {
    pen.lineWidth = curve.width;
    pen.strokeStyle = color(curve.color);
    pen.setLineDash(curve.dash);
    pen.beginPath();
    points.forEach(point => pen.lineTo(right - (now - point.seconds) / seconds * (right - left),
      bottom - Math.max(0, point[curve.name]) / most * (bottom - top)));
    pen.stroke();
  }
}

/** Draws a bar for each count; `labels` are pairs of a bin and what is written at its lower edge. */
export function bars(canvas, counts, labels) {
  const { pen, em, left, right, top, bottom } = begin(canvas);
  const most = roundUp(Math.max(...counts));
  const width = (right - left) / counts.length;
  const each = Math.ceil(4.5 * em / (width * (labels[1][0] - labels[0][0]))); // room for the words
  labels.filter((label, i) => i % each === 0)
    .forEach(([bin, words]) => text(pen, words, left + bin * width, bottom + 1.3 * em, bin ? 'center' : 'left'));
  text(pen, String(most), left - em / 2, top + em / 2, 'right');
  text(pen, '0', left - em / 2, bottom, 'right');
  pen.fillStyle = color('--accent');
  counts.forEach((count, bin) => {
    const height = count / most * (bottom - top);
    pen.fillRect(left + bin * width + 0.5, bottom - height, Math.max(1, width - 1), height);
  });
  pen.beginPath();
  pen.moveTo(left, bottom);
  pen.lineTo(right, bottom);
  pen.stroke();
}

/** Draws rows of `columns` cells, the darker the more counts. */
export function heatMap(canvas, counts, columns) {
  const { pen, em, left, right, top, bottom } = begin(canvas);
  const most = Math.max(1, ...counts);
  const rows = counts.length / columns;
  const width = (right - left) / columns;
  const height = (bottom - top) / rows;
  for (let row = 0; row < rows; row++) {
    text(pen, String(row), left - em / 2, top + (row + 0.5) * height + em / 3, 'right');
  }
  for (let column = 0; column < columns; column += columns / 4) {
    text(pen, String(column), left + column * width, bottom + 1.3 * em, 'left');
  }
  const heat = color('--heat');
  counts.forEach((count, i) => {
    pen.fillStyle = `rgba(${heat}, ${0.06 + 0.94 * Math.sqrt(count / most)})`;
    pen.fillRect(left + i % columns * width, top + Math.floor(i / columns) * height, Math.ceil(width), height - 1);
  });
}
